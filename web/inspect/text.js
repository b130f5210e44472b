// Elements and text. What a model or its user wrote becomes a text node, never markup.
"use strict";

// An element with attributes, listeners (`onclick`), and children: elements or text.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  setAttributes(made, attributes);
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

function svgElement(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  setAttributes(made, attributes);
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

function setAttributes(made, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key.startsWith("aria-") && value !== null) made.setAttribute(key, String(value));
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
}

// Text in which characters that cannot be seen, or that turn the direction of what follows, are
// written out as U+202E.
function visible(text) {
  if (text === "") return "(empty)";
  if (text === " ") return "\u2423";
  text = text.replaceAll("\t", " \u21e5 ");
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => "U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0"));
}

// The same, cut off after `most` characters.
function shortened(text, most = 40) {
  const characters = [...visible(text)];
  if (characters.length <= most) return characters.join("");
  return characters.slice(0, most).join("") + "…";
}

// A token in a line of other text, whose direction it does not change.
function bdi(text, most) {
  return element("bdi", {}, shortened(text, most));
}

function percent(probability) {
  const shown = 100 * probability;
  return (shown >= 10 ? shown.toFixed(0) : shown.toFixed(1)) + " %";
}

// Says something to screen readers.
function announce(text) {
  document.getElementById("announcement").textContent = text;
}

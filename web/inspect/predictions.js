// What the model predicts: its hypotheses, the probability of every token, what else it might have
// said, and the tree of the beam search.
"use strict";

// The best hypotheses, each with its tokens; a token of the first shows its alternatives.
function predictionsView(example) {
  const alternatives = element("div", {class: "alternatives", "aria-live": "polite"});
  const list = element("ol", {class: "hypotheses"}, example.predictions.map((prediction, i) =>
    element("li", {}, element("p", {class: "text"}, bdi(prediction.text, 2000)),
            element("p", {class: "note"}, scoresOf(prediction)),
            stepsView(prediction, i === 0, alternatives))));
  return element("section", {class: "predictions"}, element("h3", {}, "Hypotheses"), list);
}

function scoresOf(prediction) {
  const parts = [["score", prediction.score], ["log-probability", prediction.log_probability]];
  return parts.filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value.toFixed(3)}`).join(", ");
}

// The tokens of a hypothesis. A click shows the alternatives of one.
function stepsView(prediction, hasAlternatives, alternatives) {
  const steps = prediction.tokens.map((token) => {
    const content = [bdi(token.token), element("span", {class: "probability"},
                                               percent(token.probability))];
    const canOpen = hasAlternatives && token.alternatives.length > 0;
    const step = element(canOpen ? "button" : "span", {
      class: "step", type: canOpen ? "button" : null, title: shortened(token.token, 500),
      "aria-expanded": canOpen ? "false" : null,
      onclick: () => canOpen && toggle(step, token)}, content);
    step.style.setProperty("--probability", token.probability.toFixed(3));
    return step;
  });
  const toggle = (step, token) => {
    const isOpen = step.getAttribute("aria-expanded") === "true";
    for (const other of steps) {
      if (other.hasAttribute("aria-expanded")) other.setAttribute("aria-expanded", "false");
    }
    alternatives.replaceChildren();
    if (isOpen) return;
    step.setAttribute("aria-expanded", "true");
    alternatives.append(alternativesView(prediction, token));
  };
  return element("div", {}, element("div", {class: "steps"}, steps),
                 hasAlternatives ? alternatives : null);
}

function alternativesView(prediction, token) {
  const row = (name, probability, text) => element("tr", {}, element("td", {}, bdi(name)),
    element("td", {class: "number"}, percent(probability)), element("td", {}, bdi(text, 2000)));
  return element("table", {}, element("caption", {}, "Alternatives at this step"),
    element("thead", {}, element("tr", {}, ["Token", "Probability", "Text"].map(
      (name) => element("th", {scope: "col"}, name)))),
    element("tbody", {}, row(token.token, token.probability, prediction.text),
            token.alternatives.map((a) => row(a.token, a.probability, a.continuation))));
}

// The probabilities of labels of a whole example.
function labelsView(labels) {
  return element("section", {}, element("h3", {}, "Labels"), element("table", {class: "labels"},
    element("tbody", {}, labels.map((label) => {
      const bar = element("td", {class: "bar"});
      bar.style.setProperty("--probability", label.probability.toFixed(4));
      return element("tr", {}, element("th", {scope: "row"}, bdi(label.label)),
        element("td", {class: "number"}, percent(label.probability)), bar);
    }))));
}

function picturesView(pictures) {
  return element("section", {}, element("h3", {}, "Pictures"), element("div", {class: "pictures"},
    pictures.map((picture) => element("figure", {}, element("img", {
      src: picture.picture, alt: picture.name}), element("figcaption", {}, picture.name)))));
}

const kNodeWidth = 110, kNodeHeight = 26;

// The beam as a tree, from left to right: paths that ended are strong, pruned ones are faint.
function beamView(example) {
  const nodes = example.beam.map((node) => ({...node, children: [], survives: node.end}));
  const roots = [];
  nodes.forEach((node) => (node.parent < 0 ? roots : nodes[node.parent].children).push(node));
  for (const node of [...nodes].reverse()) {
    node.survives ||= node.children.some((child) => child.survives);
  }
  let leaves = 0, depth = 0;
  for (const node of nodes) {
    node.x = node.parent < 0 ? 0 : nodes[node.parent].x + 1;
    depth = Math.max(depth, node.x);
  }
  // Depth first; a leaf has a line of its own, and a node that of its first child.
  const waiting = roots.toReversed();
  while (waiting.length) {
    const node = waiting.pop();
    if (!node.children.length) node.y = leaves++;
    waiting.push(...node.children.toReversed());
  }
  for (const node of [...nodes].reverse()) node.y ??= node.children[0].y;
  const width = kNodeWidth * (depth + 1), height = kNodeHeight * leaves;
  const svg = svgElement("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Beam search: ${nodes.length} tokens kept, ` +
                  `${nodes.filter((node) => node.end).length} hypotheses ended`});
  for (const node of nodes) drawNode(svg, node, node.parent < 0 ? null : nodes[node.parent]);
  return element("section", {class: "beam"}, element("h3", {}, "Beam search"),
    element("p", {class: "note"}, "Each column is a step. Paths that ended with the end symbol " +
            "are strong; the others were pruned, or were still open when the search was over."),
    element("div", {class: "scrolls", tabindex: 0, role: "region",
                    "aria-label": "Beam search tree"}, svg));
}

function drawNode(svg, node, parent) {
  const x = kNodeWidth * node.x, y = kNodeHeight * (node.y + 0.5);
  const kind = node.survives ? "survives" : "pruned";
  if (parent !== null) {
    const from = kNodeWidth * (parent.x + 1) - 12, parentY = kNodeHeight * (parent.y + 0.5);
    const curve = `M${from} ${parentY}C${x} ${parentY} ${from} ${y} ${x} ${y}`;
    svg.append(svgElement("path", {class: kind, d: curve}));
  }
  svg.append(svgElement("text", {x: x + 3, y: y + 4, class: kind},
    svgElement("title", {}, `${visible(node.token).slice(0, 500)}, ` +
               percent(Math.exp(node.log_probability))), shortened(node.token, 12)));
}

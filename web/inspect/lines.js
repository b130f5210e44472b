// Tokens on both sides, and a line from each to what it attends to.
"use strict";

const kLeastDrawn = 0.02;  // probability of a line that can be seen
const kTokenHeight = 24, kGap = 180;  // pixels

// Moves the focus from a row of a list of buttons to the next or the one before, by arrow keys.
function moveFocus(event, list, row) {
  const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
  const next = step && list.children[row + step];
  if (!next) return;
  event.preventDefault();
  next.firstChild.focus();
}

class AttentionLines {
  // `onselect(row)` is called when a query is hovered over or focused, with null when it is left.
  constructor(queries, keys, onselect) {
    this.queries = queries;
    this.keys = keys;
    this.onselect = onselect;
    const height = kTokenHeight * Math.max(queries.length, keys.length);
    this.svg = svgElement("svg", {
      width: kGap, height, viewBox: `0 0 ${kGap} ${height}`, "aria-hidden": "true"});
    this.left = element("ol", {class: "tokens queries", "aria-label": "attends"},
                        queries.map((token, row) => element("li", {}, this.button(token, row))));
    this.right = element("ol", {class: "tokens keys", "aria-label": "is attended to"},
                         keys.map((token) => element("li", {}, element("span", {
                           title: shortened(token, 500)}, bdi(token)))));
    this.root = element("div", {class: "lines"}, this.left, this.svg, this.right);
  }

  button(token, row) {
    return element("button", {
      type: "button", title: shortened(token, 500),
      onmouseenter: () => this.onselect(row), onmouseleave: () => this.onselect(null),
      onfocus: () => this.onselect(row), onblur: () => this.onselect(null),
      onkeydown: (event) => moveFocus(event, this.left, row),
    }, bdi(token));
  }

  // The lines of all queries, or of one.
  show(matrix, selected) {
    const lines = [];
    const y = (i) => kTokenHeight * (i + 0.5);
    for (let row = 0; row < matrix.rows; ++row) {
      if (selected !== null && row !== selected) continue;
      for (let k = 0; k < matrix.columns; ++k) {
        const value = matrix.at(0, row, k);
        if (value < kLeastDrawn) continue;
        lines.push(svgElement("path", {
          d: `M0 ${y(row)}C${kGap / 2} ${y(row)} ${kGap / 2} ${y(k)} ${kGap} ${y(k)}`,
          opacity: value.toFixed(3)}));
      }
    }
    this.svg.replaceChildren();
    for (const line of lines) this.svg.append(line);
    [...this.left.children].forEach((item, i) => item.classList.toggle("marked", i === selected));
    [...this.right.children].forEach((item, k) => {
      const value = selected === null ? 0 : matrix.at(0, selected, k);
      item.style.setProperty("--weight", value.toFixed(3));
    });
  }
}

// Heat maps: the greater a value, the stronger the colour of its cell.
"use strict";

// [r, g, b] of a CSS variable.
function colourOf(name) {
  const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
}

// Paints the first matrix on a canvas, a pixel for each value, scaled to the maximum. The
// square root makes small probabilities visible.
function paint(canvas, matrix) {
  const high = matrix.greatest();
  paintShares(canvas, matrix, (value) => Math.sqrt(Math.max(0, value) / high));
}

// The same of any numbers, in even steps from the least to the greatest.
function paintRange(canvas, matrix) {
  const low = matrix.least(), high = matrix.greatest();
  paintShares(canvas, matrix, (value) => (value - low) / Math.max(1e-9, high - low));
}

function paintShares(canvas, matrix, shareOf) {
  canvas.width = matrix.columns;
  canvas.height = matrix.rows;
  const context = canvas.getContext("2d");
  const pixels = context.createImageData(matrix.columns, matrix.rows);
  const low = colourOf("--cell-low"), full = colourOf("--cell-high");
  for (let i = 0; i < matrix.rows * matrix.columns; ++i) {
    const share = shareOf(matrix.values[i]);
    for (let c = 0; c < 3; ++c) pixels.data[4 * i + c] = low[c] + share * (full[c] - low[c]);
    pixels.data[4 * i + 3] = 255;
  }
  context.putImageData(pixels, 0, 0);
}

const kMostNames = 40;  // of rows or columns that names fit beside

// An enlarged map with the names of its rows and columns. `onpoint(row, column)` is called with the
// cell under the pointer, or with nulls.
class HeatMap {
  constructor(rowNames, columnNames, label, onpoint) {
    this.canvas = element("canvas", {
      class: "cells", role: "img", "aria-label": label,
      onpointermove: (event) => onpoint(...this.cellAt(event)),
      onpointerleave: () => onpoint(null, null),
    });
    const name = (text) => element("span", {title: shortened(text, 500)}, bdi(text, 20));
    this.rows = element("div", {class: "row-names", "aria-hidden": "true"}, rowNames.map(name));
    this.columns = element("div", {class: "column-names", "aria-hidden": "true"},
                           columnNames.map(name));
    const isLarge = Math.max(rowNames.length, columnNames.length) > kMostNames;
    this.root = element("div", {class: isLarge ? "heat-map without-names" : "heat-map"},
                        this.columns, this.rows, this.canvas);
    this.root.style.setProperty("--rows", rowNames.length);
    this.root.style.setProperty("--columns", columnNames.length);
  }

  show(matrix) {
    this.size = [matrix.rows, matrix.columns];
    paint(this.canvas, matrix);
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top) / box.height * this.size[0]);
    const column = Math.floor((event.clientX - box.left) / box.width * this.size[1]);
    const isInside = row >= 0 && column >= 0 && row < this.size[0] && column < this.size[1];
    return isInside ? [row, column] : [null, null];
  }

  mark(row, column) {
    const mark = (names, index) => [...names.children].forEach(
      (name, i) => name.classList.toggle("marked", i === index));
    mark(this.rows, row);
    mark(this.columns, column);
  }
}

// The positions of a model: their encodings, and what they make of distance.
"use strict";

const kDistanceTexts = {
  rotary: "score of equal queries and keys, by that of a row with itself",
  relative: "added to the scores",
  alibi: "added to the scores",
};

function positionsView(positions) {
  const body = element("div", {});
  const view = element("details", {class: "summary positions"},
                       element("summary", {}, "Positions"), body);
  // Drawn when it is opened.
  view.addEventListener("toggle", () => view.open && drawPositions(positions, body));
  return view;
}

async function drawPositions(positions, body) {
  const parts = [];
  for (const maps of positions) {
    const figures = [];
    if (maps.encodings) {
      figures.push(await positionFigure(maps.encodings, 0, "encodings: a row for each position, " +
                                        "a column for each feature"));
    }
    const key = Object.keys(kDistanceTexts).find((kind) => maps.kind.startsWith(kind));
    const meaning = key ? kDistanceTexts[key] : "cosine of the encodings of two positions";
    for (let head = 0; head < maps.distance.shape[0]; ++head) {
      const which = maps.distance.shape[0] > 1 ? `head ${head + 1}: ` : "";
      figures.push(await positionFigure(maps.distance, head, which + meaning));
    }
    parts.push(element("h4", {}, `${maps.stack}: ${maps.kind}`),
               element("div", {class: "position-maps"}, figures));
  }
  body.replaceChildren(...parts);
}

async function positionFigure(packed, index, text) {
  const matrix = (await Matrices.read(packed)).only(index);
  const canvas = element("canvas", {role: "img", "aria-label": text});
  paintRange(canvas, matrix);
  const range = `from ${matrix.least().toPrecision(3)} to ${matrix.greatest().toPrecision(3)}`;
  return element("figure", {}, canvas, element("figcaption", {}, `${text}; ${range}`));
}

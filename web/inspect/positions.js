// The positions of a model: their encodings, and similarity by distance.
"use strict";

const kSimilarityTexts = {
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
      figures.push(positionFigure(await Matrices.read(maps.encodings),
                                  "encodings: a row for each position, a column for each feature"));
    }
    const key = Object.keys(kSimilarityTexts).find((kind) => maps.kind.startsWith(kind));
    const meaning = key ? kSimilarityTexts[key] : "cosine of the encodings of two positions";
    const heads = await Matrices.read(maps.similarity);
    for (let head = 0; head < heads.count; ++head) {
      const which = heads.count > 1 ? `head ${head + 1}: ` : "";
      figures.push(positionFigure(heads.only(head), which + meaning));
    }
    parts.push(element("h4", {}, `${maps.stack}: ${maps.kind}`),
               element("div", {class: "position-maps"}, figures));
  }
  body.replaceChildren(...parts);
}

function positionFigure(matrix, text) {
  const canvas = element("canvas", {role: "img", "aria-label": text});
  paintRange(canvas, matrix);
  const range = `from ${matrix.least().toPrecision(3)} to ${matrix.greatest().toPrecision(3)}`;
  return element("figure", {}, canvas, element("figcaption", {}, `${text}; ${range}`));
}

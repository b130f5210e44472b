// Query and key axes of attention other than two lists of tokens: patches of a picture, boxes,
// frames of a sound. As queries a pane lets one be chosen; as keys it shows how much each is
// attended to.
"use strict";

// The name of each element of an axis.
function namesOf(axis) {
  switch (axis.kind) {
    case "tokens": return axis.tokens;
    case "patches": return axis.patches.map((patch) => patch < 0 ? "class token"
      : `row ${Math.floor(patch / axis.columns) + 1}, column ${patch % axis.columns + 1}`);
    case "boxes": return axis.boxes.map((box, i) => `query ${i + 1}: ${box.label}`);
    default: return Array.from({length: axis.count},
                               (_, i) => `${(axis.seconds * i / axis.count).toFixed(2)} s`);
  }
}

function paneOf(axis, side, onselect) {
  const kinds = {tokens: TokenPane, patches: PatchPane, boxes: BoxPane, frames: FramePane};
  return new kinds[axis.kind](axis, side, onselect);
}

const kMoves = new Set(["Home", "End", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);

// What panes with a picture have in common: the picture, shapes over it, and the keyboard.
class PicturePane {
  // `size` is the width and height of the coordinates of the shapes.
  constructor(axis, side, onselect, size) {
    this.axis = axis;
    this.names = namesOf(axis);
    this.selected = null;
    this.canChoose = side === "queries";
    this.onselect = onselect;
    this.shapes = svgElement("svg", {viewBox: `0 0 ${size[0]} ${size[1]}`,
                                     preserveAspectRatio: "none", "aria-hidden": "true"});
    this.surface = element("div", {class: `surface ${axis.kind}`}, element("img", {
      src: axis.picture, alt: ""}), this.shapes);
    this.note = element("p", {class: "note"});
    const title = this.canChoose ? "Choose what attends" : "What is attended to";
    this.root = element("div", {class: `pane of-${axis.kind}`, role: "group",
                                "aria-label": `${title}: ${axis.name}`},
                        element("p", {class: "note"}, `${title}: ${axis.name}`), this.surface,
                        this.note);
    if (this.canChoose) this.addControls(onselect);
  }

  addControls(onselect) {
    setAttributes(this.surface, {
      tabindex: 0, role: "slider", "aria-label": this.axis.name, "aria-valuemin": 1,
      "aria-valuemax": this.names.length, "aria-valuenow": 1, "aria-valuetext": "none chosen",
      onpointermove: (event) => onselect(this.elementAt(event)),
      onpointerleave: () => onselect(null),
      onblur: () => onselect(null),
      onkeydown: (event) => {
        const next = this.selected === null ? 0 : this.moved(this.selected, event.key);
        if (next === null || !kMoves.has(event.key)) return;
        event.preventDefault();
        onselect(next);
      }});
  }

  // The element that a key moves to, or null.
  moved(index, key) {
    const last = this.names.length - 1;
    const moves = {Home: 0, End: last, ArrowLeft: index - 1, ArrowUp: index - 1,
                   ArrowRight: index + 1, ArrowDown: index + 1};
    return key in moves ? Math.max(0, Math.min(last, moves[key])) : null;
  }

  // The pointer's place as shares of the picture.
  placeOf(event) {
    const box = this.surface.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  mark(index) {
    this.selected = index;
    [...this.shapes.children].forEach((shape) => shape.classList.toggle(
      "marked", index !== null && Number(shape.dataset.index) === index));
    if (!this.canChoose || index === null) return;
    this.surface.setAttribute("aria-valuenow", index + 1);
    this.surface.setAttribute("aria-valuetext", this.names[index]);
  }

  // `values` are the probabilities of the elements, or null.
  weigh(values) {
    const most = values === null ? 1 : Math.max(...values, 1e-9);
    for (const shape of this.shapes.children) {
      const value = values === null ? 0 : values[shape.dataset.index];
      shape.style.setProperty("--weight", (value / most).toFixed(3));
    }
    this.describe(values);
  }

  describe(values) {
    if (values === null) {
      this.note.textContent = "";
      return;
    }
    const best = values.indexOf(Math.max(...values));
    this.note.textContent = `most: ${this.names[best]}, ${percent(values[best])}`;
  }
}

class PatchPane extends PicturePane {
  constructor(axis, side, onselect) {
    super(axis, side, onselect, [axis.columns, axis.rows]);
    this.surface.style.setProperty("--aspect", axis.columns / axis.rows);
    axis.patches.forEach((patch, index) => {
      if (patch < 0) return;
      this.shapes.append(svgElement("rect", {
        x: patch % axis.columns, y: Math.floor(patch / axis.columns), width: 1, height: 1,
        "data-index": index}));
    });
    if (this.canChoose && axis.patches[0] < 0) {
      this.root.append(element("button", {
        type: "button", onfocus: () => onselect(0), onblur: () => onselect(null),
        onmouseenter: () => onselect(0), onmouseleave: () => onselect(null)}, "class token"));
    }
  }

  // To the patch beside it; at an edge, and where that patch is hidden, it stays.
  moved(index, key) {
    const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
    if (!(key in steps)) return super.moved(index, key);
    const patch = this.axis.patches[index];
    if (patch < 0) return index + 1;
    const column = patch % this.axis.columns + steps[key][0];
    const row = Math.floor(patch / this.axis.columns) + steps[key][1];
    const isInside = column >= 0 && column < this.axis.columns && row >= 0;
    const next = isInside ? this.axis.patches.indexOf(row * this.axis.columns + column) : -1;
    return next < 0 ? index : next;
  }

  elementAt(event) {
    const [x, y] = this.placeOf(event);
    const patch = Math.floor(y * this.axis.rows) * this.axis.columns +
      Math.floor(x * this.axis.columns);
    const index = this.axis.patches.indexOf(patch);
    return index < 0 ? null : index;
  }

  describe(values) {
    super.describe(values);
    if (values !== null && this.axis.patches[0] < 0) {
      this.note.textContent += `; class token ${percent(values[0])}`;
    }
  }
}

const kShownBox = 0.3;  // probability of a box that is drawn when nothing is chosen
const kListedQueries = 12;

// The boxes over a picture, from index to rectangle.
function boxShapes(axis) {
  return axis.boxes.map((found, index) => {
    const [x, y, width, height] = found.box;
    const rect = svgElement("rect", {x, y, width, height, "data-index": index, class: "box"});
    rect.classList.toggle("sure", found.probability >= kShownBox);
    return rect;
  });
}

// What a detector found: its picture with the names of the boxes that are sure enough.
function foundBoxesView(axis) {
  const found = axis.boxes.filter((box) => box.probability >= kShownBox)
    .sort((a, b) => b.probability - a.probability);
  const count = found.length === 1 ? "1 object" : `${found.length} objects`;
  const names = found.map((box) => {
    const name = element("span", {class: "box-name"}, bdi(box.label, 30),
                         ` ${percent(box.probability)}`);
    name.style.left = `${100 * box.box[0]}%`;
    name.style.top = `${100 * box.box[1]}%`;
    name.style.maxWidth = `${100 * (1 - box.box[0])}%`;
    return name;
  });
  return element("figure", {class: "found-boxes"}, element("div", {class: "surface boxes"},
    element("img", {src: axis.picture, alt: ""}),
    svgElement("svg", {viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true"},
               ...boxShapes(axis)), ...names),
    element("figcaption", {}, `${count} of a probability of at least ${percent(kShownBox)}`));
}

class BoxPane extends PicturePane {
  constructor(axis, side, onselect) {
    super(axis, side, onselect, [1, 1]);
    this.shapes.append(...boxShapes(axis));
    if (this.canChoose) this.root.append(this.list(onselect));
  }

  // Buttons of the queries, the surest first.
  list(onselect) {
    const order = this.axis.boxes.map((box, index) => ({...box, index}))
      .sort((a, b) => b.probability - a.probability).slice(0, kListedQueries);
    return element("div", {class: "steps"}, order.map((found) => element("button", {
      type: "button", onfocus: () => onselect(found.index), onblur: () => onselect(null),
      onmouseenter: () => onselect(found.index), onmouseleave: () => onselect(null),
    }, `${found.index + 1} `, bdi(found.label, 20), ` ${percent(found.probability)}`)));
  }

  // The smallest box around the pointer.
  elementAt(event) {
    const [x, y] = this.placeOf(event);
    let best = null;
    this.axis.boxes.forEach((found, index) => {
      const [left, top, width, height] = found.box;
      const isInside = x >= left && y >= top && x <= left + width && y <= top + height;
      const area = width * height;
      if (!isInside || found.probability < kShownBox) return;
      if (best === null || area < best.area) best = {index, area};
    });
    return best === null ? null : best.index;
  }
}

class FramePane extends PicturePane {
  constructor(axis, side, onselect) {
    super(axis, side, onselect, [axis.count, 1]);
    for (let index = 0; index < axis.count; ++index) {
      this.shapes.append(svgElement("rect", {x: index, y: 0, width: 1, height: 1,
                                             "data-index": index}));
    }
    const words = axis.words.map((word) => {
      const shown = element("span", {title: `${word.begin.toFixed(2)} to ` +
        `${word.end.toFixed(2)} s`}, bdi(word.text, 30));
      shown.style.left = `${100 * word.begin / axis.seconds}%`;
      shown.style.width = `${100 * (word.end - word.begin) / axis.seconds}%`;
      return shown;
    });
    this.surface.after(element("div", {class: "spoken"}, words));
  }

  elementAt(event) {
    const [x] = this.placeOf(event);
    const index = Math.floor(x * this.axis.count);
    return index >= 0 && index < this.axis.count ? index : null;
  }
}

// Tokens beside a pane of another kind.
class TokenPane {
  constructor(axis, side, onselect) {
    this.list = element("ol", {class: "tokens", "aria-label": axis.name}, axis.tokens.map(
      (token, index) => element("li", {}, side === "queries" ? element("button", {
        type: "button", title: shortened(token, 500), onfocus: () => onselect(index),
        onblur: () => onselect(null), onmouseenter: () => onselect(index),
        onmouseleave: () => onselect(null),
        onkeydown: (event) => moveFocus(event, this.list, index)}, bdi(token))
        : element("span", {}, bdi(token)))));
    this.list.classList.add(side);
    this.root = element("div", {class: "pane narrow"}, this.list);
  }

  mark(index) {
    [...this.list.children].forEach((item, i) => item.classList.toggle("marked", i === index));
  }

  weigh(values) {
    [...this.list.children].forEach((item, i) => item.style.setProperty(
      "--weight", (values === null ? 0 : values[i]).toFixed(3)));
  }
}

// Two panes in place of lines between tokens.
class AttentionPanes {
  constructor(queries, keys, onselect) {
    this.queries = paneOf(queries, "queries", onselect);
    this.keys = paneOf(keys, "keys", onselect);
    this.root = element("div", {class: "panes"}, this.queries.root, this.keys.root);
  }

  // Without a selection the keys have the mean over all queries.
  show(matrix, selected) {
    const values = new Array(matrix.columns).fill(0);
    for (let row = 0; row < matrix.rows; ++row) {
      if (selected !== null && row !== selected) continue;
      for (let k = 0; k < matrix.columns; ++k) values[k] += matrix.at(0, row, k);
    }
    this.queries.mark(selected);
    this.keys.weigh(values.map((value) => value / (selected === null ? matrix.rows : 1)));
  }
}

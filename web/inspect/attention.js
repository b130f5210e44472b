// The attention of an example: controls, lines, an enlarged heat map, and all heads at once.
"use strict";

const kRoles = {self: "self-attention", cross: "cross-attention"};

function nameOfKind(attention) {
  const stack = attention.stack[0].toUpperCase() + attention.stack.slice(1);
  return `${stack} ${kRoles[attention.role]}`;
}

class AttentionView {
  constructor(example) {
    this.example = example;
    this.kinds = [...new Set(example.attentions.map(nameOfKind))];
    this.kind = this.kinds[0];
    this.layer = 0;
    this.head = 0;
    this.show = "head";
    this.selected = null;
    this.cache = new Map();
    this.request = 0;  // of the last picture that was asked for
    this.layerControls = element("div", {class: "controls"});
    // The choice of attention stays while the rest changes, and with it the keyboard's focus.
    this.controls = element("div", {class: "controls"}, this.radios(
      "Attention", this.kinds.map((k) => [k, k]), this.kind,
      (kind) => { this.kind = kind; this.selected = null; this.draw(); }), this.layerControls);
    this.picture = element("div", {class: "picture"});
    this.status = element("p", {class: "status"});
    this.overview = element("div", {class: "overview", role: "group",
                                    "aria-label": "All layers and heads"});
    this.root = element("section", {class: "attention"}, element("h3", {}, "Attention"),
                        this.controls, this.picture, this.status,
                        element("h4", {}, "All heads"), this.overview);
  }

  layers() {
    return this.example.attentions.filter((a) => nameOfKind(a) === this.kind);
  }

  attention() {
    return this.layers()[this.layer];
  }

  // Attention rollout follows self-attention through the layers.
  hasRollout() {
    const [count, rows, columns] = this.attention().heads.shape;
    return this.attention().role === "self" && count > 0 && rows === columns;
  }

  // How much of each input reaches each position of the layer (Abnar and Zuidema 2020): the heads'
  // mean attention and the residual connection count half each, R_l = (A_l + I) / 2 R_{l-1}.
  async rollout() {
    let out = null;
    for (const layer of this.layers().slice(0, this.layer + 1)) {
      const step = (await this.read(layer)).mean().halfIdentity();
      out = out === null ? step : step.times(out);
    }
    return out;
  }

  // Matrices of all heads of a layer.
  async read(attention) {
    const key = attention.heads;
    if (!this.cache.has(key)) this.cache.set(key, await Matrices.read(key));
    return this.cache.get(key);
  }

  async matrix() {
    const attention = this.attention();
    if (this.show === "rollout" && this.hasRollout()) return this.rollout();
    const heads = await this.read(attention);
    return this.show === "mean" ? heads.mean() : heads.only(this.head);
  }

  async draw() {
    this.drawControls();
    await this.drawPicture();
    await this.drawOverview();
  }

  drawControls() {
    const layers = this.layers();
    this.layer = Math.min(this.layer, layers.length - 1);
    const heads = this.attention().heads.shape[0];
    this.head = Math.min(this.head, heads - 1);
    if (this.show === "rollout" && !this.hasRollout()) this.show = "head";
    this.layerControls.replaceChildren(
      this.slider("Layer", this.layer, layers.length,
                  (layer) => { this.layer = layer; this.update(); }),
      this.slider("Head", this.head, heads,
                  (head) => { this.head = head; this.show = "head"; this.update(); }),
      this.radios("Shown", [["head", "one head"], ["mean", "mean of heads"]].concat(
        this.hasRollout() ? [["rollout", "rollout"]] : []), this.show,
                  (show) => { this.show = show; this.update(); }));
  }

  radios(title, choices, value, onchange) {
    const group = `radios-${AttentionView.radioGroups = (AttentionView.radioGroups ?? 0) + 1}`;
    return element("fieldset", {}, element("legend", {}, title), choices.map(
      ([key, text]) => element("label", {}, element("input", {
        type: "radio", name: group, value: key, checked: key === value,
        onchange: () => onchange(key)}), ` ${text}`)));
  }

  slider(title, value, count, onchange) {
    const shown = element("output", {}, `${value + 1} of ${count}`);
    const input = element("input", {
      type: "range", min: 1, max: count, value: value + 1, "data-name": title.toLowerCase(),
      oninput: () => {
        shown.textContent = `${input.value} of ${count}`;
        onchange(Number(input.value) - 1);
      }});
    return element("label", {class: "slider"}, element("span", {}, title), input, shown);
  }

  // After a change of layer, head or what is shown.
  async update() {
    for (const radio of this.layerControls.querySelectorAll("input[type=radio]")) {
      if (["head", "mean", "rollout"].includes(radio.value)) {
        radio.checked = radio.value === this.show;
      }
    }
    for (const [name, value] of [["layer", this.layer], ["head", this.head]]) {
      const input = this.layerControls.querySelector(`[data-name=${name}]`);
      input.value = value + 1;
      input.nextSibling.textContent = `${value + 1} of ${input.max}`;
    }
    await this.refresh();
  }

  async drawPicture() {
    const attention = this.attention();
    const axes = [attention.queries, attention.keys].map((index) => this.example.axes[index]);
    [this.queries, this.keys] = axes.map(namesOf);
    const onselect = (row) => this.select(row, null);
    this.lines = axes.every((axis) => axis.kind === "tokens")
      ? new AttentionLines(this.queries, this.keys, onselect)
      : new AttentionPanes(axes[0], axes[1], onselect);
    this.map = new HeatMap(this.queries, this.keys, "", (row, column) => this.select(row, column));
    this.picture.replaceChildren(this.lines.root, this.map.root);
    await this.refresh();
  }

  // What was asked for last is shown, whichever is read first.
  async refresh() {
    const request = ++this.request;
    const matrix = await this.matrix();
    if (request !== this.request) return;
    this.shown = matrix;
    this.map.show(this.shown);
    this.map.canvas.setAttribute("aria-label", `${this.title()}: ${this.queries.length} rows ` +
                                 `attend to ${this.keys.length} columns`);
    this.lines.show(this.shown, this.selected);
    this.describe(this.selected, null);
    for (const cell of this.overview.querySelectorAll("button")) {
      cell.setAttribute("aria-pressed", this.show === "head" && Number(cell.dataset.layer) ===
                        this.layer && Number(cell.dataset.head) === this.head);
    }
  }

  title() {
    const what = {head: `head ${this.head + 1}`, mean: "mean of heads", rollout: "rollout"};
    return `${this.kind}, layer ${this.layer + 1}, ${what[this.show]}`;
  }

  select(row, column) {
    this.selected = row;
    if (this.shown.rows !== this.queries.length) return;  // the next picture is still read
    this.lines.show(this.shown, row);
    this.map.mark(row, column);
    this.describe(row, column);
  }

  describe(row, column) {
    const title = element("strong", {}, this.title());
    if (row === null) {
      this.status.replaceChildren(title, `: the strongest colour is ${percent(
        this.shown.greatest())}. Point at something, or move to it with Tab and the arrow keys, ` +
        "to see what it attends to.");
      return;
    }
    const most = column === null ? this.shown.sortedRow(row).slice(0, 3)
      : [{index: column, value: this.shown.at(0, row, column)}];
    const parts = most.flatMap((m, i) => [
      i ? ", " : "", bdi(this.keys[m.index]), ` ${percent(m.value)}`]);
    this.status.replaceChildren(title, ": ", bdi(this.queries[row]), " attends to ", ...parts);
    if (column === null) announce(this.status.textContent);
  }

  // After a change of colours.
  async repaint() {
    await this.refresh();
    await this.drawOverview();
  }

  async drawOverview() {
    const kind = this.kind;
    const rows = [];
    for (const [l, attention] of this.layers().entries()) {
      const heads = await this.read(attention);
      const cells = [element("span", {class: "layer-name"}, `Layer ${l + 1}`)];
      for (let h = 0; h < heads.count; ++h) {
        const canvas = element("canvas", {"aria-hidden": "true"});
        paint(canvas, heads.only(h));
        cells.push(element("button", {
          type: "button", "data-layer": l, "data-head": h,
          "aria-label": `Layer ${l + 1}, head ${h + 1}`,
          "aria-pressed": this.show === "head" && l === this.layer && h === this.head,
          onclick: () => { this.layer = l; this.head = h; this.show = "head"; this.update(); },
        }, canvas));
      }
      rows.push(element("div", {class: "overview-row"}, cells));
    }
    if (kind === this.kind) this.overview.replaceChildren(...rows);
  }
}

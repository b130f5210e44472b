// The page: a chooser of examples, and a column for each model.
"use strict";

class Page {
  constructor(data) {
    this.models = data.models;
    this.count = Math.max(...this.models.map((model) => model.examples.length));
    this.columns = this.models.map((model) => element("div", {class: "example"}));
    document.getElementById("models").append(...this.models.map((model, i) =>
      element("article", {}, element("h2", {}, bdi(model.name, 80)), summaryView(model.summary),
              model.ablation ? ablationView(model.ablation) : null,
              model.positions.length ? positionsView(model.positions) : null,
              this.columns[i])));
    this.views = [];
  }

  addChooser() {
    this.select = element("select", {onchange: () => this.open(Number(this.select.value))},
      this.models[0].examples.map((example, i) => element("option", {value: i},
        `${example.name}: ${shortened(example.input, 80)}`)));
    const step = (by, text) => element("button", {
      type: "button", onclick: () => this.open((Number(this.select.value) + by + this.count) %
                                               this.count)}, text);
    document.getElementById("chooser").append(
      element("label", {}, "Example ", this.select), step(-1, "Previous"), step(1, "Next"));
  }

  async open(index) {
    this.select.value = index;
    this.views = [];
    for (const [i, model] of this.models.entries()) {
      const example = model.examples[index];
      const parts = [element("p", {class: "text"}, bdi(example.input, 400))];
      if (example.note) parts.push(element("p", {class: "note"}, `Note: ${example.note}.`));
      if (example.labels) parts.push(labelsView(example.labels));
      if (example.pictures) parts.push(picturesView(example.pictures));
      const boxes = example.axes.find((axis) => axis.kind === "boxes");
      if (boxes) parts.push(foundBoxesView(boxes));
      const views = [];
      if (example.attributions) views.push(new AttributionView(example));
      if (example.attentions.length) views.push(new AttentionView(example));
      parts.push(...views.map((view) => view.root));
      if (example.axes.length && !example.attentions.length) {
        parts.push(element("p", {class: "note"}, "This model has no attention with a probability " +
                           "for each token or patch, so that none is shown."));
      }
      this.views.push(...views);
      if (example.predictions.length) parts.push(predictionsView(example));
      if (example.beam.length) parts.push(beamView(example));
      this.columns[i].replaceChildren(...parts);
    }
    for (const view of this.views) await view.draw();
  }

  // After a change of colours, which canvases do not follow by themselves.
  async redraw() {
    for (const view of this.views) await view.repaint();
    for (const positions of document.querySelectorAll("details.positions[open]")) {
      positions.dispatchEvent(new Event("toggle"));
    }
  }
}

// The data of the page is base64 of a zlib stream of JSON.
async function start() {
  const bytes = await inflate(document.getElementById("data").textContent);
  globalThis.page = new Page(JSON.parse(new TextDecoder().decode(bytes)));
  page.addChooser();
  await page.open(0);
  // Paper is white, whatever the screen is.
  for (const query of ["(prefers-color-scheme: dark)", "print"]) {
    matchMedia(query).addEventListener("change", () => page.redraw());
  }
  document.documentElement.setAttribute("data-ready", "");
}

start();

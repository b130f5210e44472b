// The attributions of words to a label: integrated gradients, and leave-one-out.
"use strict";

class AttributionView {
  constructor(example) {
    this.attributions = example.attributions;
    this.words = example.axes[this.attributions.words].tokens;
    this.labels = element("div", {class: "explained", role: "group", "aria-label": "Labels"},
                          this.attributions.labels.map((label, i) => this.button(label, i)));
    this.rows = element("div", {"aria-live": "polite"});
    this.root = element("section", {class: "attributions"},
      element("h3", {}, "Labels and word attributions"), this.labels,
      element("p", {class: "note"}, "Choose a label. Blue words speak for it, orange ones " +
              "against it; numbers are differences of its score."), this.rows);
  }

  button(label, index) {
    const column = label.column ? ` (column ${label.column})` : "";
    const word = label.word === undefined ? [] : [bdi(this.words[label.word]), " "];
    const button = element("button", {
      type: "button", class: "step", "aria-pressed": "false",
      onclick: () => this.select(index)}, element("span", {}, word, element("strong", {},
      bdi(label.label)), column), element("span", {class: "probability"},
                                          percent(label.probability)));
    button.style.setProperty("--probability", label.probability.toFixed(3));
    return button;
  }

  async draw() {
    this.gradients = await Matrices.read(this.attributions.gradients);
    this.leaveOneOut = await Matrices.read(this.attributions.leave_one_out);
    this.select(0);
  }

  repaint() {}  // its colours follow the page's

  select(index) {
    for (const [i, button] of [...this.labels.children].entries()) {
      button.setAttribute("aria-pressed", i === index);
    }
    const label = this.attributions.labels[index];
    if (index >= this.attributions.gradients.shape[1]) {
      this.rows.replaceChildren(element("p", {class: "note"}, "This label is not explained."));
      return;
    }
    const values = (matrix) => this.words.map((_, w) => matrix.at(0, index, w));
    const sum = values(this.gradients).reduce((a, b) => a + b, 0);
    const difference = label.score - label.baseline_score;
    const own = label.word ?? null;
    const jump = label.incomplete ? ". The two differ, since between the two texts the score " +
      "jumps, which its gradients do not show" : "";
    // Both rows have the same scale.
    this.most = Math.max(1e-9, ...values(this.gradients).map(Math.abs),
                         ...values(this.leaveOneOut).map(Math.abs));
    this.rows.replaceChildren(
      this.row(`Integrated gradients: their sum is ${sum.toFixed(2)}; the score is ` +
               `${difference.toFixed(2)} above that of the text without words${jump}`,
               values(this.gradients)),
      this.row("Leave-one-out: the score less that of the text without the word",
               values(this.leaveOneOut), own));
  }

  // `own` is a word that has no value.
  row(title, values, own) {
    const words = values.map((value, w) => {
      const word = element("span", {class: value < 0 ? "word against" : "word", title: shortened(
        this.words[w], 500)}, bdi(this.words[w]), element("span", {class: "probability"},
        w === own || this.words.length === 1 && own === null ? "–" : value.toFixed(2)));
      word.style.setProperty("--weight", (Math.abs(value) / this.most).toFixed(3));
      return word;
    });
    return element("div", {}, element("h4", {}, title), element("div", {class: "steps"}, words));
  }
}

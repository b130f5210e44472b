// Head ablation: the loss without each head less that of the whole model.
"use strict";

function ablationView(ablation) {
  const kinds = new Map();
  for (const head of ablation.heads) {
    const name = nameOfKind(head);
    if (!kinds.has(name)) kinds.set(name, new Map());
    const layers = kinds.get(name);
    if (!layers.has(head.layer)) layers.set(head.layer, []);
    layers.get(head.layer).push(head);
  }
  const most = Math.max(1e-9, ...ablation.heads.map((head) => Math.abs(head.loss - ablation.loss)));
  const cell = (head) => {
    const difference = head.loss - ablation.loss;
    const made = element("td", {class: difference < 0 ? "cost against" : "cost"},
                         (difference < 0 ? "−" : "+") + Math.abs(difference).toFixed(4));
    made.style.setProperty("--weight", (Math.abs(difference) / most).toFixed(3));
    return made;
  };
  const table = ([name, layers]) => {
    const last = Math.max(...[...layers.values()].flat().map(({head}) => head));
    const heads = [...Array(last + 1).keys()];
    const numbers = heads.map((h) => element("th", {scope: "col"}, `head ${h + 1}`));
    // Pruned heads leave their cells empty.
    const cells = (row) => heads.map((h) => {
      const found = row.find(({head}) => head === h);
      return found ? cell(found) : element("td", {});
    });
    return element("div", {class: "scrolls-across"}, element("table", {},
      element("caption", {}, name),
      element("thead", {}, element("tr", {}, element("td", {}), numbers)),
      element("tbody", {}, [...layers.entries()].map(([layer, row]) => element("tr", {},
        element("th", {scope: "row"}, `layer ${layer + 1}`), cells(row))))));
  };
  return element("details", {class: "summary ablation"},
    element("summary", {}, "Head ablation"),
    element("p", {class: "note"}, `The loss of the whole model is ${ablation.loss.toFixed(4)}. ` +
            "A number is what is added to it with that head masked."),
    [...kinds.entries()].map(table));
}

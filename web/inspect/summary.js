// What is in the model file.
"use strict";

function summaryView(summary) {
  const rows = [
    ["File", summary.file], ["Kind", summary.kind],
    ["Parameters", summary.parameters.toLocaleString("en")],
    ...summary.vocabularies.map(
      (v) => [v.name, `${v.kind}, ${v.entries.toLocaleString("en")} tokens`]),
    ...summary.labels.map((l) => [l.name, l.labels.map((name) => shortened(name)).join(", ")]),
  ];
  if (summary.training) {
    const t = summary.training;
    rows.push(["Training", `${t.updates} updates, ${t.epochs} epochs` +
               (t.best ? `, best ${t.best.metric} ${t.best.value.toPrecision(4)}` : "")]);
  }
  const table = (list) => element("table", {}, element("tbody", {}, list.map(([key, value]) =>
    element("tr", {}, element("th", {scope: "row"}, shortened(String(key), 60)),
            element("td", {}, bdi(String(value), 500))))));
  return element("details", {class: "summary"}, element("summary", {}, "The model"), table(rows),
    element("details", {}, element("summary", {}, "Options"),
            table(Object.entries(summary.options).map(([k, v]) => [k, JSON.stringify(v)]))));
}

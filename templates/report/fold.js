"use strict";
// Folding and filtering. Everything on the page can be read, and folded, without it.
(() => {
  const orders = () => [...document.querySelectorAll("details.order")];
  const within = (name) => [...document.querySelectorAll(name)];

  function fold(open) {
    for (const part of within("details.order, details.attempt")) {
      part.open = open;
    }
  }

  function filter() {
    const text = document.getElementById("filter-text").value.toLowerCase();
    const state = document.getElementById("filter-state").value;
    let shown = 0;
    for (const order of orders()) {
      const named = order.querySelector("summary").textContent.toLowerCase().includes(text);
      const asked = order.dataset.asked.toLowerCase().includes(text);
      const fits = (named || asked) && (!state || order.dataset.tone === state);
      order.hidden = !fits;
      shown += fits;
    }
    document.getElementById("filter-count").textContent = `${shown} of ${orders().length} shown`;
  }

  // What a link leads to is of no use while it is folded, or filtered away.
  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let part = target; part; part = part.parentElement) {
      if (part.tagName === "DETAILS") {
        part.open = true;
        part.hidden = false;
      }
    }
    if (target) {
      target.scrollIntoView();
    }
  }

  function start() {
    const tools = document.getElementById("tools");
    if (!tools) {
      return;
    }
    tools.hidden = false;
    document.getElementById("open-all").addEventListener("click", () => fold(true));
    document.getElementById("close-all").addEventListener("click", () => fold(false));
    document.getElementById("filter-text").addEventListener("input", filter);
    document.getElementById("filter-state").addEventListener("change", filter);
    filter();
  }

  document.addEventListener("report-replaced", start);
  addEventListener("hashchange", reveal);
  // Folded texts are to be on paper, too.
  addEventListener("beforeprint", () => fold(true));
  start();
  reveal();
})();

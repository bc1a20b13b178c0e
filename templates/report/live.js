"use strict";
// A build that goes on: when the server says that something has changed, the page's contents are replaced.
(() => {
  const status = document.getElementById("live");
  let asked = false;
  let again = false;

  const key = (part) => part.id || part.dataset.key;

  // While somebody writes, nothing is taken from under their hands.
  const writing = () => {
    const field = document.activeElement;
    return field && field.closest("form.act") && "value" in field && field.type !== "submit";
  };

  async function update() {
    if (asked || writing()) {
      again = true;
      return;
    }
    asked = true;
    try {
      const answer = await fetch(location.pathname, { credentials: "same-origin", cache: "no-store" });
      if (!answer.ok) {
        throw new Error(`the server says ${answer.status}`);
      }
      replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch (error) {
      status.textContent = `not current: ${error.message}`;
    }
    asked = false;
    if (again && !writing()) {
      again = false;
      await update();
    }
  }

  function replace(page) {
    const known = new Map([...document.querySelectorAll("details")].map((part) => [key(part), part.open]));
    const text = document.getElementById("filter-text")?.value;
    const state = document.getElementById("filter-state")?.value;
    const focused = document.activeElement?.id;
    for (const part of page.querySelectorAll("details")) {
      if (known.has(key(part))) {
        part.open = known.get(key(part));
      }
    }
    document.title = page.title;
    const fields = [...document.querySelectorAll("form.act textarea, form.act input[type=text]")];
    const words = new Map(fields.filter((field) => field.value).map((field) => [field.id, field.value]));
    document.getElementById("report").replaceWith(page.getElementById("report"));
    for (const [id, value] of words) {
      const field = document.getElementById(id);
      if (field) {
        field.value = value;
      }
    }
    if (document.getElementById("filter-text")) {
      document.getElementById("filter-text").value = text ?? "";
      document.getElementById("filter-state").value = state ?? "";
    }
    document.dispatchEvent(new Event("report-replaced"));
    if (focused) {
      document.getElementById(focused)?.focus({ preventScroll: true });
    }
  }

  const source = new EventSource(new URL("events", location.href));
  source.addEventListener("changed", update);
  source.addEventListener("open", () => {
    status.textContent = "shown as it is now";
    update();
  });
  source.addEventListener("error", () => {
    status.textContent = "the server is gone; what is shown may be old";
  });
  document.addEventListener("focusout", () => setTimeout(() => again && update(), 0));
})();

// The button of a variant, wherever one is picked.

import { element } from "./dom.js";

/**
 * A button for this variant of the set.
 *
 * @param onPick Called with the variant's name.
 */
export function variantButton(set, variant, onPick) {
  const marks = [
    variant.isDefault && "default",
    variant.name === set.playing && "plays",
    set.wrappers.includes(variant.name) && "goes around it",
    variant.isBuiltIn && "built in",
  ].filter(Boolean);
  const isUsed = variant.name === set.playing || set.wrappers.includes(variant.name);
  const attributes = {
    class: "variant",
    "data-name": variant.name,
    "data-used": String(isUsed),
    "aria-pressed": String(variant.name === set.selected),
    title: [variant.summary, ...marks].join(", "),
    tabindex: -1,
    onclick: () => onPick(variant.name),
  };
  return element(
    "button",
    attributes,
    element("span", { class: "name" }, variant.name),
    element("span", { class: "summary" }, variant.summary),
    marks.length > 0 && element("span", { class: "unseen" }, `(${marks.join(", ")})`),
  );
}

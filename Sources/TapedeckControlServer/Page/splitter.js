// The bar between two panes that is dragged, or moved with arrow keys, to resize the lower one.

const key = "tapedeck-detail-height";
const least = 15;
const most = 85;
const step = 5;

/** Makes `bar` resize `pane`, in percent of the element that holds both. The browser tab remembers it. */
export function makeSplitter(bar, pane) {
  const show = (percent) => {
    const height = Math.min(Math.max(Math.round(percent), least), most);
    pane.style.flex = `0 0 ${height}%`;
    bar.setAttribute("aria-valuenow", height);
    sessionStorage.setItem(key, height);
  };
  const now = () => Number(bar.getAttribute("aria-valuenow"));
  bar.setAttribute("aria-valuemin", least);
  bar.setAttribute("aria-valuemax", most);
  show(Number(sessionStorage.getItem(key)) || 74);
  bar.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    bar.setPointerCapture(event.pointerId);
    bar.focus();
  });
  bar.addEventListener("pointermove", (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const { bottom, height } = pane.parentElement.getBoundingClientRect();
    show(((bottom - event.clientY) / height) * 100);
  });
  bar.addEventListener("keydown", (event) => {
    const target = { ArrowUp: now() + step, ArrowDown: now() - step, Home: least, End: most }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    show(target);
  });
}

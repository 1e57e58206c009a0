// What somebody has typed and not saved.

const forms = new Set();

// guard asks what would be lost, "" for nothing, whenever somebody wants to leave, until
// the signal ends.
export function guard(unsaved, signal) {
  if (signal.aborted) return;
  forms.add(unsaved);
  signal.addEventListener("abort", () => forms.delete(unsaved));
}

// unsaved are sentences about what would be lost.
export const unsaved = () => [...forms].map((ask) => ask()).filter(Boolean);

// giveUp makes what is unsaved no hindrance any more.
export const giveUp = () => forms.clear();

addEventListener("beforeunload", (event) => { if (unsaved().length) event.preventDefault(); });

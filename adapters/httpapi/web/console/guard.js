// What somebody uses: forms and dialogs that are open or about to be, with what is typed in
// them. A page that is read again replaces none of them.

const forms = new Set();

// guard notes a form until the signal ends. typed returns what would be lost, "" if nothing
// would, null if nobody uses the form.
export function guard(typed, signal) {
  if (signal.aborted) return;
  forms.add(typed);
  signal.addEventListener("abort", () => forms.delete(typed));
}

// unsaved are sentences about what would be lost.
export const unsaved = () => [...forms].map((typed) => typed()).filter(Boolean);

// inUse tells whether somebody is at a form, or waits for one.
export const inUse = () => Boolean(document.activeElement?.matches("main form :is(input, textarea, select)")) ||
  [...forms].some((typed) => typed() !== null);

// giveUp makes what is unsaved no hindrance any more.
export const giveUp = () => forms.clear();

addEventListener("beforeunload", (event) => { if (unsaved().length) event.preventDefault(); });

// tryTo: does something that may fail and whose failure changes nothing else: a process or a file that is gone already.

/** Returns whether it succeeded. */
export function tryTo(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

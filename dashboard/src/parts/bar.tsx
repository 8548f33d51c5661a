// Bar: a part of a whole. The figure stands beside it: the bar is for comparing.

export function Bar({ part, whole }: { part: number; whole: number }) {
  const percent = whole <= 0 ? 0 : Math.min(100, (100 * part) / whole);
  return (
    <svg
      className="h-2 w-full min-w-16 overflow-hidden rounded-full bg-raised"
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect width={percent} height="1" className="fill-accent" />
    </svg>
  );
}

// Sparkline: a short series as bars. Its label says what it shows; the figures are beside it.

export function Sparkline({ label, values }: { label: string; values: readonly number[] }) {
  const most = Math.max(1, ...values);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${values.length * 4} 20`}
      className="h-8 w-40"
      preserveAspectRatio="none"
    >
      {values.map((value, index) => {
        const height = value === 0 ? 0.5 : Math.max(1, (20 * value) / most);
        return (
          <rect
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            x={index * 4}
            y={20 - height}
            width="3"
            height={height}
            className="fill-accent"
          />
        );
      })}
    </svg>
  );
}

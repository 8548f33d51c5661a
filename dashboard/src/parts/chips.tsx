// Chips: one of several choices, as buttons side by side.

export function Chips<T extends string>(props: {
  label: string;
  choices: readonly { readonly value: T; readonly name: string; readonly count?: number }[];
  value: T;
  onChoose: (value: T) => void;
}) {
  return (
    <div role="group" aria-label={props.label} className="flex flex-wrap gap-1">
      {props.choices.map(({ value, name, count }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.value}
          className="flex items-baseline gap-1.5 rounded-md px-2.5 py-1 font-medium text-soft hover:bg-raised aria-pressed:bg-raised aria-pressed:text-ink"
          onClick={() => props.onChoose(value)}
        >
          {name}
          {count === undefined ? null : <span className="figures text-xs text-faint">{count}</span>}
        </button>
      ))}
    </div>
  );
}

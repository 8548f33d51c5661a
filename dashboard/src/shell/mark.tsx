export function Mark() {
  return (
    <svg viewBox="0 0 32 32" className="size-7" aria-hidden="true">
      <rect width="32" height="32" rx="7" className="fill-ink" />
      <path
        d="M8 10h16M8 16h16M8 22h9"
        className="stroke-ground"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
      <circle cx="23" cy="22" r="2.6" className="fill-accent" />
    </svg>
  );
}

import type { Verdict } from "./timeline.ts";

const ink: Record<Verdict, string> = {
  allowed: "text-faint",
  approved: "text-good",
  refused: "text-bad",
  failed: "text-bad",
  running: "text-accent",
  "cut off": "text-wait",
};

export function VerdictMark({ verdict }: { verdict: Verdict }) {
  return <span className={`min-w-16 text-right whitespace-nowrap ${ink[verdict]}`}>{verdict}</span>;
}

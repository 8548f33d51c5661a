import type { StepVerdict } from "./timeline.ts";

const ink: Record<StepVerdict, string> = {
  allowed: "text-faint",
  approved: "text-good",
  refused: "text-bad",
  failed: "text-bad",
  running: "text-accent",
  "cut off": "text-wait",
};

export function VerdictMark({ verdict }: { verdict: StepVerdict }) {
  return <span className={`min-w-16 text-right whitespace-nowrap ${ink[verdict]}`}>{verdict}</span>;
}

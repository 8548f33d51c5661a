// Cause tree: draws the causal chain of a record: one line of records for each process, the nearest first, with the
// lines of other processes where a cause came from them.
//
//   ● 3 completed with exit code 0
//   ├ 2 exec pay {"to":"alice"} → done
//   │   bob said approve at 12:00:03 (kernel/ask-pay, q_01kx)
//   └ 0 start payer  ← operator
//
// CAUSE-TREE-1  Every record of the report is drawn once, or counted where plain ones are folded.

import {
  isPlain,
  type CauseLink,
  type CausesReport,
  type PersonsStatement,
} from "@aos/protocol/words";
import { colors } from "../colors.ts";
import { money } from "../money.ts";
import { printable } from "../printable.ts";

/** So many of a line are never folded, and no fewer than so many are. */
const NEAR = 6;
const LEAST_FOLDED = 3;

type Row = CauseLink | { readonly folded: number };

export function causeTree({ links, leftOut }: Pick<CausesReport, "links" | "leftOut">): string[] {
  const first = links[0];
  if (first === undefined) return [];
  const lines = Map.groupBy(links, ({ pid }) => pid);
  const drawn = new Set<string>();
  const tree = lineOf(first.pid, lines, drawn);
  const more = leftOut === 0 ? [] : [colors.dim(`… and ${leftOut} more intermediate records`)];
  return [...tree, ...more];
}

type Lines = ReadonlyMap<string, readonly CauseLink[]>;

function lineOf(pid: string, lines: Lines, drawn: Set<string>): string[] {
  drawn.add(pid);
  const rows = folded((lines.get(pid) ?? []).toSorted((a, b) => b.seq - a.seq));
  return rows.flatMap((row, at) => {
    const isLast = at === rows.length - 1;
    const mark = at === 0 ? "●" : isLast ? "└" : "├";
    const [head = "", ...notes] =
      "folded" in row ? [colors.dim(`… ${row.folded} more calls`)] : linkLines(row);
    const below = isLast ? "    " : "│   ";
    const beside = "folded" in row ? [] : branches(row, lines, drawn);
    return [
      `${mark} ${head}`,
      ...notes.map((note) => `${below}${note}`),
      ...beside.map((line) => `${below}${line}`),
    ];
  });
}

/** The lines of other processes that had a part in it. */
function branches({ from, pid }: CauseLink, lines: Lines, drawn: Set<string>): string[] {
  return from.flatMap((name) => {
    const [other = ""] = name.split("#");
    if (other === pid || !name.includes("#")) return [];
    const agent = lines.get(other)?.[0]?.agent;
    const head = colors.cyan(`← ${name}${agent === undefined ? "" : ` (${printable(agent)})`}`);
    const isAbove = agent === undefined || drawn.has(other);
    return [head, ...(isAbove ? [] : lineOf(other, lines, drawn))];
  });
}

/** CAUSE-TREE-1. */
function folded(links: readonly CauseLink[]): Row[] {
  const rows: Row[] = [];
  let plain: CauseLink[] = [];
  const flush = () => {
    rows.push(...(plain.length < LEAST_FOLDED ? plain : [{ folded: plain.length }]));
    plain = [];
  };
  for (const [at, link] of links.entries()) {
    if (at >= NEAR && isPlain(link)) plain.push(link);
    else {
      flush();
      rows.push(link);
    }
  }
  flush();
  return rows;
}

function linkLines(link: CauseLink): string[] {
  const { seq, what, came, code, from, verdict, people, label } = link;
  const words = printable(what);
  const said =
    came === null ? "" : ` → ${code === null ? printable(came) : colors.red(printable(came))}`;
  const who = from.filter((name) => !name.includes("#")).map((name) => ` ← ${printable(name)}`);
  const notes = [
    ...people.flatMap(wordLines),
    ...(verdict === null || people.length > 0 ? [] : [printable(verdict)]),
    ...(label === null ? [] : [`label from here on: ${labelled(label)}`]),
    ...costLine(link),
  ];
  return [`${seq} ${words}${said}${colors.cyan(who.join(""))}`, ...notes];
}

function wordLines({ question, rule, answer, votes, askedAt }: PersonsStatement): string[] {
  const about = [...(rule === null ? [] : [rule]), question].join(", ");
  if (votes.length === 0)
    return [`asked at ${timeOf(askedAt)} (${printable(about)}): ${answer ?? "nobody answered"}`];
  return votes.map(({ person, choice, at, reason }) => {
    const why = reason === null ? "" : `: ${reason}`;
    return colors.yellow(printable(`${person} said ${choice} at ${timeOf(at)} (${about})${why}`));
  });
}

const costLine = ({ usd, tokens }: CauseLink): string[] =>
  usd === 0 && tokens === 0 ? [] : [colors.dim(`${money(usd)}, ${tokens} tokens`)];

const timeOf = (iso: string): string => iso.slice(11, 19);

const shades = { trusted: colors.blue, mixed: colors.yellow, untrusted: colors.red };
const names = { trusted: "BLUE", mixed: "YELLOW", untrusted: "RED" };

/** `untrusted/public (RED)`, in its colour. */
export function labelled(label: string): string {
  const integrity = label.split("/", 1)[0] as keyof typeof shades;
  return shades[integrity](`${label} (${names[integrity]})`);
}

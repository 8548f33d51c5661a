// Picture: renders a stepper as lines that fit a terminal.
//
// DEBUG-PICTURE-1  The current record is always visible.
// DEBUG-PICTURE-2  Output of an agent cannot move the cursor.

import { stripVTControlCharacters } from "node:util";
import { colors } from "../colors.ts";
import { printable } from "../printable.ts";
import { formatRecord } from "../format-record.ts";
import { framed, visibleRows, type Size } from "../top/picture.ts";
import { labelled } from "./cause-tree.ts";
import { recordText, spentText } from "./moment-text.ts";
import type { BranchAction, Stepper } from "./stepper.ts";

const HELP =
  "n/p step  g go to  / search  c context  w why  d core  e edit  f fork  r replay  Space more  q leave";
/** Of the rows, for the journal. */
const JOURNAL_PART = 3;
const LEAST_JOURNAL = 3;

export function renderStepper(step: Stepper, size: Size): string[] {
  const room = Math.max(LEAST_JOURNAL, Math.floor(size.rows / JOURNAL_PART));
  const journal = visibleRows(
    step.records.map((record, at) =>
      lineOf(printable(stripVTControlCharacters(formatRecord(record))), at === step.at),
    ),
    step.at,
    room,
  );
  const body = [
    ...headLines(step),
    "",
    ...journal,
    "",
    colors.bold(titles[step.pane]),
    ...paneOf(step),
  ];
  return framed(body, [footOf(step)], size);
}

const lineOf = (line: string, isHere: boolean): string =>
  isHere ? colors.inverse(`> ${line}`) : `  ${line}`;

const titles = {
  record: "The record",
  context: "What its model was shown",
  why: "What led to it",
  core: "What its end left",
};

function headLines({ process, records, at, moment }: Stepper): string[] {
  const { pid, agent, state, exitCode, forkedFrom } = process;
  const ended = exitCode === null ? state : `${state} ${exitCode}`;
  const origin = forkedFrom === null ? "" : `  fork of ${forkedFrom.pid} at ${forkedFrom.at}`;
  return [
    `${colors.bold("aos debug")}  ${pid}  ${printable(agent)}  ${ended}  record ${at} of 0 to ${records.length - 1}${origin}`,
    moment === undefined
      ? colors.dim("…")
      : `had read ${labelled(moment.label)}  spent ${spentText(moment)}`,
  ];
}

function paneOf({ pane, text, moment, scroll }: Stepper): string[] {
  const whole = pane === "record" ? (moment === undefined ? "…" : recordText(moment.record)) : text;
  const lines = (whole === "" ? "…" : whole).split("\n");
  return lines.slice(Math.min(scroll, Math.max(0, lines.length - 1)));
}

function footOf({ typing, asking, word, sought }: Stepper): string {
  if (typing !== null) {
    const request =
      typing.for === "g" ? "go to record" : `search${sought === "" ? "" : ` (${sought})`}`;
    return colors.bold(`${printable(request)}: ${printable(typing.text)}_`);
  }
  if (asking !== null)
    return colors.bold(`${question(asking)} Press y to confirm, any other key to cancel.`);
  return word === "" ? colors.dim(HELP) : printable(word).replaceAll("\n", " ");
}

const question = (what: BranchAction): string =>
  what.do === "fork"
    ? `Continue from record ${what.at} in a fork?`
    : `Continue in a fork with your result for call ${what.n}?`;

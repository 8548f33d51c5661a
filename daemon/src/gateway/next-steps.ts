// Next steps: the commands that `aos why` suggests.
//
// NEXT-STEPS-1  Every command can be typed as printed: whole pids, capabilities quoted for a shell.
// NEXT-STEPS-2  No suggested command would fail in the same way: a fork holds what its origin held, so a call without
//     a capability is refused in it too.

import type { Causes, Json, NextStep } from "@aos/protocol";

/** `asked` is the record that was asked about, where one was. */
export function nextSteps(causes: Causes, { asked }: { asked?: number } = {}): NextStep[] {
  const steps =
    asked !== undefined ? onRecord(causes) : isLiving(causes) ? onLiving(causes) : onEnd(causes);
  return steps.filter(
    ({ command }, at) => steps.findIndex((one) => one.command === command) === at,
  );
}

const isLiving = ({ exitCode }: Causes): boolean => exitCode === null;

function onLiving({ pid, state, waitsFor, waitingOn }: Causes): NextStep[] {
  const asks = waitsFor.flatMap(({ question }) => [
    { command: `aos approvals show ${question}`, why: "show the question in full" },
    { command: `aos approve ${question}`, why: "approve; `aos deny` denies" },
  ]);
  if (state === "paused") return [{ command: `aos resume ${pid}`, why: "resume it" }];
  if (asks.length > 0) return asks;
  if (waitingOn === "message")
    return [{ command: `aos send ${pid} TEXT`, why: "send it the message that it waits for" }];
  if (waitingOn === "slot" || state === "pending")
    return [{ command: "aos top", why: "see what runs before it" }];
  return [{ command: `aos logs ${pid} --follow`, why: "follow its journal" }];
}

function onEnd(causes: Causes): NextStep[] {
  const { pid, state, error, decision } = causes;
  if (state === "completed")
    return [
      { command: `aos show ${pid}`, why: "its result in full" },
      { command: `aos replay ${pid} --verify`, why: "run it again from its journal, and compare" },
    ];
  const again = {
    command: `aos retry ${pid}`,
    why: "repeat the last failed call in a fork",
  };
  const remedy = decision === null ? [] : remedyFor(causes);
  const upstream =
    error?.code === "EUPSTREAM"
      ? [{ command: "aos model ls", why: "see the state of the models" }]
      : [];
  return [
    ...remedy,
    ...upstream,
    ...(decision?.code === "EACCES" ? [] : [again]), // NEXT-STEPS-2
    { command: `aos debug ${pid}`, why: "step through what it did" },
  ];
}

function onRecord({ pid, seq, links, decision }: Causes): NextStep[] {
  const kind = links[0]?.kind;
  const isCall = kind === "call" || kind === "intent" || kind === "outcome";
  return [
    ...(isCall && decision !== null
      ? [
          {
            command: `aos caps why ${pid} ${decision.seq}`,
            why: "the decision of the gate in full",
          },
        ]
      : []),
    { command: `aos debug ${pid} --at ${seq}`, why: "the state of the process at that record" },
    ...(kind === "end"
      ? []
      : [{ command: `aos fork ${pid} --at ${seq}`, why: "continue from there in a fork" }]),
  ];
}

/** What would have let the refused call pass. */
function remedyFor({ pid, agent, decision }: Causes): NextStep[] {
  const { code, detail, seq } = decision!;
  const { grant } = (detail ?? {}) as { grant?: Json };
  const grants = Array.isArray(grant) ? grant.filter((one) => typeof one === "string") : [];
  const why = {
    command: `aos caps why ${pid} ${seq}`,
    why: "the decision of the gate about the refused call",
  };
  if (code === "EACCES" && grants.length > 0)
    return [
      why,
      {
        command: `aos caps grant --agent ${quoted(agent)} ${grants.map(quoted).join(" ")}`,
        why: "grant the smallest capability that allows it, for every run of this agent from now on",
      },
    ];
  if (code === "EPOLICY") return [why, { command: "aos policy show", why: "the rules in force" }];
  if (code === "EBUDGET") return [why, { command: "aos cost", why: "what each part cost" }];
  return [why];
}

/** NEXT-STEPS-1. */
const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

// ConversationView: a run as a conversation; the words of the answer under way at its end, and, where the agent
// listens, a place to write to it.

import { isEnded, type ProcessDetail } from "@aos/protocol/words";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState, type ReactNode } from "react";
import { contextOf, manifestOf } from "../api/reports.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { formatCount, formatDuration, formatUsd } from "../parts/format.ts";
import { RunLink } from "../parts/run-link.tsx";
import { ValueView } from "../parts/value.tsx";
import { Composer } from "./composer.tsx";
import { useFollowedEnd } from "./followed-end.ts";
import { conversationOf, textOfInput, type ConversationTurn } from "./conversation.ts";
import { useLiveWords } from "./live-words.ts";
import type { TimelineStep } from "./timeline.ts";
import { ToolUseView } from "./tool-use.tsx";

/** Turns that are drawn at once, from the end: a conversation may have thousands. */
const SHOWN = 200;

export function ConversationView(props: {
  run: ProcessDetail;
  steps: readonly TimelineStep[];
  /** Shows what was so after this record, and nothing later. */
  at: number | undefined;
}) {
  const { run, steps, at } = props;
  const [most, show] = useState(SHOWN);
  const turns = useMemo(() => conversationOf(steps), [steps]);
  const isLive = !isEnded(run.state) && at === undefined;
  const words = useLiveWords(run.pid, isLive, run.records - 1);
  const hidden = Math.max(0, turns.length - most);
  const end = useFollowedEnd(turns.length + words.length, isLive);
  return (
    <div className="flex flex-col gap-4">
      <System pid={run.pid} />
      {hidden === 0 ? null : (
        <button
          type="button"
          className="rounded-md border border-line px-4 py-2 text-[13px] text-soft hover:bg-raised hover:text-ink"
          onClick={() => show(most + 5 * SHOWN)}
        >
          {formatCount(hidden)} earlier
        </button>
      )}
      {turns.length === 0 && words === "" ? <EmptyState title="Nothing was said yet" /> : null}
      <ol className="flex flex-col gap-4">
        {turns.slice(hidden).map((turn) => (
          <li
            key={turn.seq}
            className="[content-visibility:auto] [contain-intrinsic-size:auto_6rem]"
          >
            <TurnView pid={run.pid} turn={turn} />
          </li>
        ))}
      </ol>
      {words === "" ? null : (
        <Bubble who={run.agent} note="writing …">
          <Words>{words}</Words>
        </Bubble>
      )}
      <div ref={end} />
      {isLive ? <Composer run={run} /> : null}
    </div>
  );
}

function TurnView({ pid, turn }: { pid: string; turn: ConversationTurn }) {
  switch (turn.kind) {
    case "input":
      return (
        <Bubble who={<Sender from={turn.from} />} isPerson>
          <Words>{textOfInput(turn.value)}</Words>
        </Bubble>
      );
    case "answer":
      return <Answer pid={pid} turn={turn} />;
    case "call":
      return (
        <ToolUseView pid={pid} tool={turn.step.name} args={argsOf(turn.step)} step={turn.step} />
      );
    case "event":
      return (
        <p className="flex gap-3 px-1 text-[13px] text-faint">
          <span className="shrink-0 font-medium text-soft">{turn.step.name}</span>
          <span className="min-w-0 truncate">{turn.step.about}</span>
        </p>
      );
  }
}

const argsOf = ({ records: [first] }: TimelineStep): unknown =>
  first !== undefined && "args" in first ? first.args : undefined;

function Answer({
  pid,
  turn,
}: {
  pid: string;
  turn: Extract<ConversationTurn, { kind: "answer" }>;
}) {
  const { step, text, reasoning, tools } = turn;
  const cost = [
    step.about,
    step.tookMs === null ? "" : formatDuration(step.tookMs),
    step.tokens === 0 ? "" : `${formatCount(step.tokens)} tokens`,
    step.usd === 0 ? "" : formatUsd(step.usd),
  ].filter((part) => part !== "");
  return (
    <Bubble who="Agent" note={cost.join(" · ")}>
      {reasoning === "" ? null : (
        <details className="text-[13px] text-soft">
          <summary>Thoughts</summary>
          <Words>{reasoning}</Words>
        </details>
      )}
      {text === "" ? null : <Words>{text}</Words>}
      {step.err === null ? null : (
        <p className="text-[13px]">
          <span className="mr-2 font-mono font-medium text-bad">{step.err.code}</span>
          {step.err.message}
        </p>
      )}
      {tools.length === 0 ? null : (
        <div className="flex flex-col gap-2">
          {tools.map(({ tool, args, step: done }, index) => (
            <ToolUseView key={`${tool}${index}`} pid={pid} tool={tool} args={args} step={done} />
          ))}
        </div>
      )}
      <Shown pid={pid} seq={step.seq} />
    </Bubble>
  );
}

/** All that the model was shown for this answer. */
function Shown({ pid, seq }: { pid: string; seq: number }) {
  const [isAsked, ask] = useState(false);
  const { data, error } = useQuery({ ...contextOf(pid, seq), enabled: isAsked });
  return (
    <details
      className="text-[13px] text-soft"
      onToggle={({ currentTarget }) => ask(currentTarget.open)}
    >
      <summary className="text-faint hover:text-ink">What the model was shown</summary>
      <div className="pt-2">
        {error === null ? data === undefined ? null : <ValueView of={data} /> : error.message}
      </div>
    </details>
  );
}

/** The instructions of the manifest, folded. */
function System({ pid }: { pid: string }) {
  const { data } = useQuery(manifestOf(pid));
  const { system } = (data?.manifest ?? {}) as { system?: unknown };
  if (typeof system !== "string" || system === "") return null;
  return (
    <details className="rounded-lg border border-line bg-sheet px-4 py-2.5 text-[13px]">
      <summary className="truncate text-soft">
        <span className="mr-3 font-medium text-ink">System</span>
        {system}
      </summary>
      <Words>{system}</Words>
    </details>
  );
}

const Sender = ({ from }: { from: string }) =>
  from.startsWith("agt_") ? <RunLink pid={from} /> : from === "input" ? "Input" : from;

function Bubble(props: { who: ReactNode; note?: string; isPerson?: boolean; children: ReactNode }) {
  return (
    <article
      className={`flex flex-col gap-2.5 rounded-lg border border-line px-4 py-3 ${
        props.isPerson === true ? "ml-auto w-fit max-w-[85%] bg-raised" : "bg-sheet"
      }`}
    >
      <header className="flex flex-wrap items-baseline justify-between gap-x-4 text-xs">
        <span className="font-medium text-soft">{props.who}</span>
        {props.note === undefined || props.note === "" ? null : (
          <span className="figures text-faint">{props.note}</span>
        )}
      </header>
      {props.children}
    </article>
  );
}

const Words = ({ children }: { children: string }) => (
  <p className="leading-relaxed whitespace-pre-wrap">{children}</p>
);

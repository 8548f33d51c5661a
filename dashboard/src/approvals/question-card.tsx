// A question for a person: the agent, the action and its arguments, what the process has read, the rule, and the
// effect of each answer.

import { useRef, type KeyboardEvent, type ReactNode } from "react";
import {
  visibleText,
  type Question,
  type QuestionAbout,
  type RunIdentity,
} from "@aos/protocol/words";
import { useNow } from "../parts/clock.ts";
import { ColourMark } from "../parts/marks.tsx";
import { formatAgo, formatDuration, shortId } from "../parts/format.ts";
import { RunLink } from "../parts/run-link.tsx";
import { ValueView } from "../parts/value.tsx";
import { headline } from "./headline.ts";
import { QuestionForm } from "./answer-form.tsx";

const kinds: Record<Question["kind"], string> = {
  policy: "Approval required by a rule",
  proposal: "The agent asks for a capability",
  question: "It asks",
  doubt: "After a crash it is unknown whether this happened",
};

export function QuestionCard(props: { question: Question; isInRun?: boolean }) {
  const { question, isInRun = false } = props;
  const card = useRef<HTMLElement>(null);
  const { about } = question;
  const Heading = isInRun ? "h3" : "h2";
  return (
    <article
      ref={card}
      data-question={question.id}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-label={`${about?.agent ?? "a run"}: ${headline(question)}`}
      className="flex flex-col gap-4 rounded-lg border border-line bg-sheet p-4 sm:p-5"
      onKeyDown={(event) => press(event, card.current)}
    >
      <header className="flex flex-col gap-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4 text-[13px] text-faint">
          <span>{kinds[question.kind]}</span>
          <Times question={question} />
        </div>
        <Heading className="font-medium text-pretty">{headline(question)}</Heading>
        {isInRun ? null : <Asker question={question} />}
      </header>
      {about === null ? null : <About about={about} />}
      <QuestionForm question={question} />
    </article>
  );
}

function Times({ question: { askedAt, expiresAt } }: { question: Question }) {
  const now = useNow();
  return (
    <span className="figures">
      asked {formatAgo(now - Date.parse(askedAt))}
      {expiresAt === null ? "" : `, expires in ${formatDuration(Date.parse(expiresAt) - now)}`}
    </span>
  );
}

function Asker({ question: { pid, about, count } }: { question: Question }) {
  return (
    <p className="text-[13px] text-soft">
      <RunLink pid={pid}>
        {about?.agent ?? "the run"} <span className="font-mono text-xs">{shortId(pid)}</span>
      </RunLink>
      {count > 1 ? ` and ${count - 1} more with the same question` : ""}
    </p>
  );
}

function About({ about }: { about: QuestionAbout }) {
  return (
    <dl className="grid grid-cols-1 items-baseline gap-x-6 gap-y-3 sm:grid-cols-[6.5rem_minmax(0,1fr)] sm:gap-y-2.5">
      <Row name="Wants">
        <code className="font-mono text-[13px] font-medium">{about.tool ?? about.call}</code>
        {about.effect === null ? null : <Soft>{about.effect}</Soft>}
        {about.sinks.length === 0 ? null : <Soft>{about.sinks.join(", ")}</Soft>}
      </Row>
      <Row name="With">
        <ValueView of={argsOf(about)} whole />
      </Row>
      <Row name="Has read">
        <ColourMark colour={about.colour} /> <Soft>{about.label}</Soft>
      </Row>
      {about.touches.length === 0 ? null : (
        <Row name="Touches">
          <List of={about.touches} />
        </Row>
      )}
      {about.runs === undefined ? null : <Runs runs={about.runs} />}
      {about.rule === null ? null : (
        <Row name="Rule">
          <code className="font-mono text-[13px]">{about.rule}</code>
        </Row>
      )}
      {(about.difference ?? []).length === 0 ? null : (
        <Row name="New for this agent">
          <List of={about.difference!} />
        </Row>
      )}
    </dl>
  );
}

/** What a yes would run, and what that may reach. */
function Runs({ runs }: { runs: RunIdentity }) {
  const { tool, program, programVersion, manifest, project, workspace, files, reach } = runs;
  const { kind, folder } = workspace;
  const code = tool?.digest === null || tool === null ? "" : `, code ${tool.digest}`;
  return (
    <>
      <Row name="Runs">
        <List
          of={[
            ...(tool === null ? [] : [`${tool.name} ${tool.version}${code}`]),
            `${program} ${programVersion}, manifest ${manifest}`,
            ...(project === null ? [] : [`project ${project}`]),
            `workspace ${kind}${folder === null ? "" : ` ${folder}`}`,
          ]}
        />
      </Row>
      {files.length === 0 ? null : (
        <Row name="Named files">
          <List of={files.map(({ path, digest, bytes }) => `${path} (${bytes} bytes) ${digest}`)} />
        </Row>
      )}
      {reach.length === 0 ? null : (
        <Row name="May reach">
          <List of={reach} />
        </Row>
      )}
    </>
  );
}

/** A tool's own arguments; the whole text where it was cut and can be read no more. */
function argsOf({ args, tool }: QuestionAbout): unknown {
  try {
    const read = JSON.parse(args) as { args?: unknown };
    return tool === null ? read : (read.args ?? read);
  } catch {
    return args;
  }
}

export const List = ({ of }: { of: readonly string[] }) => (
  <ul className="flex flex-col gap-0.5 font-mono text-xs leading-5">
    {of.map((text) => (
      <li key={text} className="break-all">
        {visibleText(text)}
      </li>
    ))}
  </ul>
);

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="-mb-2 text-[13px] text-faint sm:mb-0">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

const Soft = ({ children }: { children: ReactNode }) => (
  <span className="ml-2 text-[13px] text-soft">{children}</span>
);

/** On the card itself: a and d go to its answers. They are pressed there, not here. */
function press(event: KeyboardEvent<HTMLElement>, card: HTMLElement | null): void {
  if (event.target !== card || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key !== "a" && event.key !== "d") return;
  card?.querySelector<HTMLElement>(`[data-key="${event.key}"]`)?.click();
}

// The answers to a question. A denial may have a reason; an "always" shows its grant first.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { hasRole, type AnswerReport, type Question } from "@aos/protocol/words";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { Failure } from "../parts/failure.tsx";
import { List } from "./question-card.tsx";

interface AnswerState {
  readonly choice: string;
  readonly text?: string;
  readonly always?: true;
}

export function QuestionForm({ question }: { question: Question }) {
  const client = useQueryClient();
  const { data: caller } = useQuery(me);
  const [step, go] = useState<"choose" | "deny" | "always">("choose");
  const answering = useMutation({
    mutationFn: (word: AnswerState) => daemon.answer({ id: question.id, ...word }),
    onSettled: () => client.invalidateQueries(),
  });
  if (caller !== undefined && !hasRole(caller.role, "approver")) {
    return (
      <p className="text-[13px] text-faint">
        You see this as a {caller.role}; an approver answers it.
      </p>
    );
  }
  const give = (word: AnswerState) => answering.mutate(word);
  const isBusy = answering.isPending || answering.data?.settled === true;
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      <Votes question={question} report={answering.data} />
      {step === "deny" ? (
        <Deny
          isBusy={isBusy}
          onNo={(text) => give({ choice: "deny", ...text })}
          onBack={() => go("choose")}
        />
      ) : step === "always" ? (
        <Always
          question={question}
          isBusy={isBusy}
          onYes={() => give({ choice: "approve", always: true })}
          onBack={() => go("choose")}
        />
      ) : question.choices.length === 0 ? (
        <Words isBusy={isBusy} onSay={(choice) => give({ choice })} />
      ) : (
        <Choices
          question={question}
          isBusy={isBusy}
          onChoose={(choice) => give({ choice })}
          onStep={go}
        />
      )}
      {answering.error === null ? null : <Failure error={answering.error} />}
    </div>
  );
}

function Choices(props: {
  question: Question;
  isBusy: boolean;
  onChoose: (choice: string) => void;
  onStep: (step: "deny" | "always") => void;
}) {
  const { question, isBusy, onChoose, onStep } = props;
  const mayAlways =
    question.kind === "policy" &&
    question.quorum === 1 &&
    question.about?.everyTime === false &&
    question.about.cover.length > 0;
  return (
    <div className="flex flex-wrap gap-2">
      {question.choices.map((choice) =>
        choice === "deny" ? (
          <Button
            key={choice}
            tone="bad"
            data-key="d"
            disabled={isBusy}
            onClick={() => onStep("deny")}
          >
            Deny
          </Button>
        ) : (
          <Button
            key={choice}
            tone={choice === "approve" ? "main" : "plain"}
            {...(choice === "approve" ? { "data-key": "a" } : {})}
            disabled={isBusy}
            onClick={() => onChoose(choice)}
          >
            {choice === "approve" ? "Approve" : choice}
          </Button>
        ),
      )}
      {mayAlways ? (
        <Button disabled={isBusy} className="sm:ml-auto" onClick={() => onStep("always")}>
          Always…
        </Button>
      ) : null}
    </div>
  );
}

function Deny(props: {
  isBusy: boolean;
  onNo: (text: { text?: string }) => void;
  onBack: () => void;
}) {
  const [text, write] = useState("");
  const id = useId();
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        props.onNo(text.trim() === "" ? {} : { text: text.trim() });
      }}
    >
      <label htmlFor={id} className="text-[13px] text-soft">
        Reason for the agent (optional)
      </label>
      <input
        id={id}
        // It was asked for by the press of a button.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        value={text}
        maxLength={10_000}
        className="h-9 rounded-md border border-line bg-ground px-3"
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") props.onBack();
        }}
      />
      <div className="flex gap-2">
        <Button type="submit" tone="bad" disabled={props.isBusy}>
          Deny
        </Button>
        <Button onClick={props.onBack}>Back</Button>
      </div>
    </form>
  );
}

function Always(props: {
  question: Question;
  isBusy: boolean;
  onYes: () => void;
  onBack: () => void;
}) {
  const { about } = props.question;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-[13px] text-soft">
        This approves the call, and grants every run of {about?.agent} from now on exactly this
        capability:
      </p>
      <div className="rounded-md border border-line bg-ground px-3 py-2">
        <List of={about?.cover ?? []} />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button tone="main" disabled={props.isBusy} onClick={props.onYes}>
          Approve always
        </Button>
        <Button onClick={props.onBack}>Back</Button>
      </div>
    </div>
  );
}

function Words({ isBusy, onSay }: { isBusy: boolean; onSay: (text: string) => void }) {
  const [text, write] = useState("");
  return (
    <form
      className="flex flex-col gap-2 sm:flex-row"
      onSubmit={(event) => {
        event.preventDefault();
        onSay(text.trim());
      }}
    >
      <input
        aria-label="Your answer"
        value={text}
        maxLength={1000}
        placeholder="Your answer"
        className="h-9 flex-1 rounded-md border border-line bg-ground px-3 placeholder:text-faint"
        onChange={(event) => write(event.target.value)}
      />
      <Button type="submit" tone="main" disabled={isBusy || text.trim() === ""}>
        Answer
      </Button>
    </form>
  );
}

/** Where more than one person has to agree. */
function Votes({ question, report }: { question: Question; report: AnswerReport | undefined }) {
  const { votes, quorum, people } = question;
  if (quorum === 1 && votes.length === 0 && people === null) return null;
  return (
    <p className="text-[13px] text-soft">
      {quorum === 1 ? "" : `${quorum} people must agree. `}
      {people === null ? "" : `Asked: ${people.join(", ")}. `}
      {votes.map(({ person, choice }) => `${person} answered ${choice}. `).join("")}
      {report !== undefined && !report.settled ? "Your answer is recorded." : ""}
    </p>
  );
}

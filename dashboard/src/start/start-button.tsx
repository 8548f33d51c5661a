// StartButton: starts an agent that can be started by name, once with an input, or to talk with.

import type { AgentReport } from "@aos/protocol/words";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { agents } from "../api/reports.ts";
import { Button } from "../parts/button.tsx";
import { ModalDialog } from "../parts/dialog.tsx";
import { CommandLine } from "../parts/empty-state.tsx";
import { Failure } from "../parts/failure.tsx";
import { Field, inputStyle } from "../parts/field.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { commandOf, startRequest, type StartChoices } from "./start-request.ts";
import { StartOptions } from "./start-options.tsx";

/** `agent`: the one that is chosen at first. */
export function StartButton({ agent }: { agent?: string }) {
  const { data: caller } = useQuery(me);
  const [isOpen, open] = useState(false);
  if (caller?.role !== "operator") return null;
  return (
    <>
      <Button tone="main" onClick={() => open(true)}>
        Start an agent
      </Button>
      <ModalDialog title="Start an agent" isOpen={isOpen} onClose={() => open(false)}>
        <StartForm first={agent} onClose={() => open(false)} />
      </ModalDialog>
    </>
  );
}

function StartForm({ first, onClose }: { first: string | undefined; onClose: () => void }) {
  const query = useQuery(agents);
  return (
    <Loaded query={query}>
      {(list) =>
        list.length === 0 ? (
          <p className="text-soft">
            No agent can be started by name yet:{" "}
            <CommandLine>aos init hello ~/.aos/agents/hello</CommandLine>
          </p>
        ) : (
          <Chosen agents={list} first={first ?? list[0]!.name} onClose={onClose} />
        )
      }
    </Loaded>
  );
}

function Chosen(props: { agents: readonly AgentReport[]; first: string; onClose: () => void }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [agent, choose] = useState(props.first);
  const [input, write] = useState("");
  const [choices, set] = useState<StartChoices>({ stays: false, isJson: false, usd: "" });
  const starting = useMutation({
    mutationFn: async () => daemon.spawn(startRequest(agent, input, choices)),
    onSuccess: ({ pid }) => {
      props.onClose();
      void client.invalidateQueries();
      void navigate({ to: "/runs/$pid", params: { pid } });
    },
  });
  const report = props.agents.find(({ name }) => name === agent);
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        starting.mutate();
      }}
    >
      <Field name="Agent" note={report?.description}>
        <select
          value={agent}
          className={inputStyle}
          onChange={({ target }) => choose(target.value)}
        >
          {props.agents.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
      {choices.stays ? null : (
        <Field name="Input" note={choices.isJson ? "JSON" : "Text"}>
          <textarea
            rows={4}
            value={input}
            className={inputStyle}
            onChange={({ target }) => write(target.value)}
          />
        </Field>
      )}
      <StartOptions choices={choices} onChange={set} />
      {report === undefined ? null : (
        <details className="text-[13px] text-soft">
          <summary>What it may do</summary>
          <ul className="pt-1 font-mono text-xs leading-5">
            {report.capabilities.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </details>
      )}
      <p className="text-xs text-faint">
        At a terminal: <CommandLine>{commandOf(agent, input, choices)}</CommandLine>
      </p>
      {starting.error === null ? null : <Failure error={starting.error} />}
      <div className="flex gap-2">
        <Button type="submit" tone="main" disabled={starting.isPending}>
          {choices.stays ? "Start and talk" : "Start"}
        </Button>
        <Button onClick={props.onClose}>Cancel</Button>
      </div>
    </form>
  );
}

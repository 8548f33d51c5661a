// Messages: full mailboxes, topics, and dead letters, which can be sent again.

import type { DeadLetter, TopicReport } from "@aos/protocol/words";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { deadLetters, topics } from "../api/reports.ts";
import { Ago } from "../parts/ago.tsx";
import { Button } from "../parts/button.tsx";
import { DataTable, type TableColumn } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { RunLink } from "../parts/run-link.tsx";
import { View } from "../parts/view.tsx";
import { Section } from "../run/section.tsx";
import { inLine } from "../run/timeline.ts";

const topicColumns: readonly TableColumn<TopicReport>[] = [
  { name: "Topic", cell: ({ topic }) => <span className="font-mono text-[13px]">{topic}</span> },
  { name: "Subscribers", isNumber: true, cell: ({ subscribers }) => subscribers },
  { name: "Durable", isNumber: true, cell: ({ durables }) => durables },
  { name: "Waiting", isNumber: true, cell: ({ waiting }) => waiting },
  { name: "Schema", from: "sm", cell: ({ schema }) => (schema === null ? "none" : "yes") },
];

const letterColumns: readonly TableColumn<DeadLetter>[] = [
  { name: "To", cell: ({ to }) => <RunLink pid={to} /> },
  { name: "From", from: "sm", cell: ({ from }) => <Party name={from} /> },
  {
    name: "Message",
    cell: ({ body, reason }) => (
      <span className="flex flex-col">
        <span className="line-clamp-2">{inLine(body)}</span>
        <span className="text-[13px] text-bad">{reason}</span>
      </span>
    ),
  },
  { name: "Died", isNumber: true, from: "md", cell: ({ diedAt }) => <Ago at={diedAt} /> },
  { name: "Redrive", cell: ({ id, isCut }) => (isCut ? null : <Redrive id={id} />) },
];

export function MessagesPage() {
  const named = useQuery(topics);
  const dead = useQuery(deadLetters);
  return (
    <View title="Messages">
      <Section title="Dead letters">
        <Loaded query={dead}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState title="No dead letters">
                Every message was taken, or still waits.
              </EmptyState>
            ) : (
              <DataTable
                label="Dead letters"
                columns={letterColumns}
                rows={rows}
                keyOf={({ id }) => id}
              />
            )
          }
        </Loaded>
      </Section>
      <Section title="Topics">
        <Loaded query={named}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState title="No topics">
                A topic appears with its first subscription or its schema.
              </EmptyState>
            ) : (
              <DataTable
                label="Topics"
                columns={topicColumns}
                rows={rows}
                keyOf={({ tenant, topic }) => `${tenant} ${topic}`}
              />
            )
          }
        </Loaded>
      </Section>
    </View>
  );
}

const Party = ({ name }: { name: string }) =>
  name.startsWith("agt_") ? <RunLink pid={name} /> : <>{name}</>;

function Redrive({ id }: { id: string }) {
  const client = useQueryClient();
  const { data: caller } = useQuery(me);
  const sending = useMutation({
    mutationFn: () => daemon.redrive({ id }),
    onSettled: () => client.invalidateQueries({ queryKey: ["deadLetters"] }),
  });
  if (caller?.role !== "operator") return null;
  return (
    <Button
      className="h-7 px-2 text-[13px]"
      disabled={sending.isPending}
      onClick={() => sending.mutate()}
    >
      Send again
    </Button>
  );
}

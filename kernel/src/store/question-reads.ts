// Question reads: what people are asked, and what they said. The same SQL for both databases.

import type { Json } from "@aos/protocol";
import type {
  QuestionSource,
  QuestionTime,
  ListedQuestion,
  QuestionQuery,
} from "./base-contract.ts";
import { numberValue, orNull, textValue, type Row, type RunQuery } from "./row-values.ts";
import type { ProcessKey, ProcessSpec, QuestionRow, TenantKey, VoteRow } from "./rows.ts";
import type { SqlValue } from "./writes.ts";

const questionRow = (row: Row): QuestionRow => ({
  id: textValue(row["id"]),
  tenant: numberValue(row["tenant"]),
  process: numberValue(row["process"]),
  pid: textValue(row["pid"]),
  n: numberValue(row["n"]),
  kind: textValue(row["kind"]) as QuestionRow["kind"],
  question: textValue(row["question"]),
  choices: JSON.parse(textValue(row["choices"])) as string[],
  digest: textValue(row["digest"]),
  askedAt: numberValue(row["asked_at"]),
  expiresAt: orNull(row["expires_at"], Number),
  answer: orNull(row["answer"], String),
  reason: orNull(row["reason"], String),
  answeredBy: orNull(row["answered_by"], String),
  answeredAt: orNull(row["answered_at"], Number),
  channel: orNull(row["channel"], String),
  quorum: numberValue(row["quorum"]),
  batch: orNull(row["batch"], String),
  joined: numberValue(row["joined"]) === 1,
  about: orNull(row["about"], (about) => JSON.parse(about as string) as Json),
});

const asker = (row: Row): QuestionSource => ({
  root: numberValue(row["root"]),
  agents: [textValue(row["agent"]), textValue(row["top_agent"])],
  starter: (JSON.parse(textValue(row["top_spec"])) as ProcessSpec).startedBy ?? null,
});

const voteRow = (row: Row): VoteRow => ({
  question: textValue(row["question"]),
  tenant: numberValue(row["tenant"]),
  process: numberValue(row["process"]),
  person: textValue(row["person"]),
  choice: textValue(row["choice"]),
  reason: orNull(row["reason"], String),
  at: numberValue(row["at"]),
  signature: orNull(row["signature"], String),
});

export const questionReads = (query: RunQuery) => ({
  async question(id: string): Promise<QuestionRow | undefined> {
    const [row] = await query("select * from question where id = ?", [id]);
    return row && questionRow(row);
  },

  async questionsOf(key: ProcessKey): Promise<QuestionRow[]> {
    return (await query("select * from question where process = ? order by id", [key])).map(
      questionRow,
    );
  },

  async openQuestions({ tenant, process, below, batch }: QuestionQuery = {}): Promise<
    ListedQuestion[]
  > {
    const tests = ["answered_at is null", "ended_at is null"];
    const values: SqlValue[] = [];
    const test = (sql: string, value: SqlValue | undefined) => {
      if (value === undefined) return;
      tests.push(sql);
      values.push(value);
    };
    test("question.tenant = ?", tenant);
    test("question.process = ?", process);
    test("batch = ?", batch);
    test(
      `question.process in (with recursive below (key) as (
         select cast(? as bigint) union all select process.key from process join below on process.parent = below.key)
         select key from below)`,
      below,
    );
    const rows = await query(
      `select id, question.tenant, question.process, question.pid, batch, asked_at, expires_at
         from question join process on process.key = question.process
         where ${tests.join(" and ")} order by id`,
      values,
    );
    return rows.map((row) => ({
      id: textValue(row["id"]),
      tenant: numberValue(row["tenant"]),
      process: numberValue(row["process"]),
      pid: textValue(row["pid"]),
      batch: orNull(row["batch"], String),
      askedAt: numberValue(row["asked_at"]),
      expiresAt: orNull(row["expires_at"], Number),
      answeredAt: null,
    }));
  },

  async openInBatch(batch: string): Promise<QuestionRow[]> {
    const rows = await query(
      `select question.* from question join process on process.key = question.process
         where batch = ? and answered_at is null and ended_at is null order by id`,
      [batch],
    );
    return rows.map(questionRow);
  },

  async settledQuestions(): Promise<QuestionRow[]> {
    return (
      await query("select * from question where answered_at is not null order by id", [])
    ).map(questionRow);
  },

  /** An effect in doubt is asked by nobody. */
  async askedSince(tenant: TenantKey, sinceMs: number): Promise<QuestionTime[]> {
    const rows = await query(
      `select asked_at, process.agent, process.root, top.agent as top_agent, top.spec as top_spec from question
           join process on process.key = question.process join process top on top.key = process.root
         where question.tenant = ? and asked_at > ? and joined = 0 and kind <> 'doubt' order by asked_at`,
      [tenant, sinceMs],
    );
    return rows.map((row) => ({ at: numberValue(row["asked_at"]), ...asker(row) }));
  },

  async asker(process: ProcessKey): Promise<QuestionSource> {
    const [row] = await query(
      `select process.agent, process.root, top.agent as top_agent, top.spec as top_spec
         from process join process top on top.key = process.root where process.key = ?`,
      [process],
    );
    return asker(row!);
  },

  async votes(question: string): Promise<VoteRow[]> {
    const rows = await query("select * from vote where question = ? order by at, person", [
      question,
    ]);
    return rows.map(voteRow);
  },

  async votesInBatch(batch: string): Promise<VoteRow[]> {
    const rows = await query(
      `select vote.* from vote join question on question.id = vote.question
         where batch = ? and answered_at is null order by question.id, at, person`,
      [batch],
    );
    return rows.map(voteRow);
  },

  async allVotes(): Promise<VoteRow[]> {
    return (await query("select * from vote order by question, at, person", [])).map(voteRow);
  },
});

// CommandOutput: what each command prints with `-o json`, for the manual. It is no part of the rows of the command line,
// which are loaded at every start.
//
// COMMAND-OUTPUT-1  Every command has its line, and there is no other.

const ending = "{pid, state, exitCode, output, error}";
const started = "{pid}";
const signalled = "{pid, signal}";
const signalledEach = "[{pid, signal}]";
const estimate =
  "with `--estimate` {of, contextTokens, contextUsd, runs, usual, high, limit, notes}";
const processRow =
  "{pid, agent, state, waitingOn, parent, exitCode, costUsd, startedAt, endedAt, lane, deadline}";
const question =
  "{id, pid, kind, question, choices, digest, askedAt, expiresAt, channel, people, quorum, votes, count, pids, about}";
const answered = "{id, pid, choice, settled, answer, votes, needed, alsoAnswered, given}";
const tenant = "{name, states, spent, budgets, ceiling: {source, capabilities, problem}}";
const token = "{id, kind, name, role, tenant, createdAt, expiresAt}";
const skill = "{name, description, source, folder, allowedTools, problems}";
const skillDraft =
  "{name, description, folder, run, agent, records, label, isUntrusted, madeBy, digest, problems, text}";
const server = "{name, transport, where, state, tools, changed, …}";
const deadLetters = "[{id, …}]";
const stored = "{path, pid}";
const tick =
  "{schedule, id, nominal, dueAt, at, outcome, reason, pid, state, exitCode, endedAt, costUsd, tokens}";
const notification =
  "{id, tenant, target, kind, subject, state, attempts, error, dueAt, createdAt, settledAt}";
const schedule =
  "{name, tenant, agent, when, timeZone, state, reason, nextAt, nextStartAt, running, queued, failures, skips, month, last, capabilities, schedule, …}";
const fleet =
  "{name, tenant, agent, state, reason, replicas, min, max, running, limitedBy, waiting, oldestAt, done, dead, errorRate, costUsd, month, versions, roll, fleet, …}";
const fleetItem =
  "{fleet, id, state, attempt, crashes, version, pid, reason, label, sentAt, sentBy, notBefore, begunAt, endedAt, costUsd, tokens, output}";

export const commandOutput: Readonly<Record<string, string>> = {
  up: "{pid, version, startedAt, socket, url, home}",
  down: "{stopped, pid}",
  status: "{daemon: {pid, version, startedAt}, url, socket, home, store, node, loaded, states}",
  run: `${ending}; ${estimate}`,
  chat: "a line for each answer: {pid, input, output}",
  attach: `as chat, or ${ending}`,
  pipe: "the result",
  spawn: `${started}; ${estimate}`,
  "notify ls": "[{name, tenant, kind, to, events, agents, person, counts, warnings}]",
  "notify test": "{id, ok, why, warnings}",
  "notify log": `[${notification}]`,
  "notify retry": notification,
  "schedule create": schedule,
  "schedule edit": schedule,
  "schedule ls": `[${schedule}]`,
  "schedule show": schedule,
  "schedule history": `[${tick}]`,
  "schedule run": tick,
  "schedule pause": schedule,
  "schedule resume": schedule,
  "schedule rm": "{name}",
  "fleet create": fleet,
  "fleet apply": fleet,
  "fleet ls": `[${fleet}]`,
  "fleet show": fleet,
  "fleet scale": fleet,
  "fleet send": fleetItem,
  "fleet items": `[${fleetItem}]`,
  "fleet wait": fleetItem,
  "fleet retry": fleetItem,
  "fleet roll": fleet,
  "fleet pause": fleet,
  "fleet drain": fleet,
  "fleet resume": fleet,
  "fleet rm": "{name, discarded, stopped}",
  "fleet history": "[{fleet, id, at, what, by, detail}]",
  ps: `[${processRow}]`,
  show: `${processRow} with {manifestHash, labels, budget, output, …}`,
  manifest: "{pid, hash, manifest}",
  logs: "one record a line",
  wait: ending,
  pause: signalled,
  resume: signalled,
  stop: signalledEach,
  kill: signalledEach,
  signal: signalled,
  replay: `{pid, records, identical, difference}; ${estimate}`,
  fork: `${started}; ${estimate}`,
  retry: started,
  why: "{pid, agent, state, exitCode, seq, summary, error, decision, grants, label, cost, links, leftOut, next, …}",
  debug:
    "the core dump; with `--at` {pid, agent, seq, records, record, call, label, colour, spent, limit, context}; with `--edit` {pid}",
  init: "{template, name, folder, files}",
  completion: "{shell, script}",
  "config show": "{home, file, settings: [{name, value, source, where, hot, next}], problem}",
  "config check": "{ok, file}",
  submit: `{pid, place}, or with \`--wait\` ${ending}; ${estimate}`,
  eval: "{pid, name, state, cells, variants, startedAt, endedAt, digest, done, budgetUsd, totalUsd, resumes, repeat, thresholds, variantReports, results, error}; with --compare also comparison; with --no-wait {pid}",
  "eval ls": "[{pid, name, state, cells, variants, startedAt, endedAt}]",
  "eval show":
    "the same as `aos eval`: {pid, …, thresholds, variantReports: [{name, agent, model, passed: {mean, interval, cases}, scores, usd, latencyMs, steps, totalUsd, judgeUsd, unscored, notRun, open, flaky}], results: [{case, variant, repeat, tags, state, pid, output, error, label, scores, usd, judgeUsd, tokens, latencyMs, steps}]}",
  "eval compare":
    "{first, second, isSameData, pairs: [{first, second, differences: [{scorer, first, second, mean, interval, p, says, cases, better, worse, detectable}], regressed, fixed, onlyInOne}]}",
  "eval cancel": "{pid, stopped}",
  "eval dataset":
    "{cases: [{id, input, expected, label, metadata}], left}; with --out {file, cases, left}",
  "goal ls": "[{pid, goal, state, lane, place, costUsd, startedAt, endedAt}]",
  "goal show":
    "{pid, goal, state, …, plan, replans, subtasks: [{id, role, state, pid, tries, dependsOn, outputs, costUsd, error}], result, files, notes, faults, estimate}",
  "goal watch": "a line for each event: {at, pid, step, agent, where, what, code}",
  "goal cancel": signalledEach,
  "goal retry": started,
  "goal prioritize": "{pid, lane}",
  "workflow ls":
    "[{pid, name, state, generation, done, steps, waitsFor, costUsd, startedAt, endedAt}]",
  "workflow show":
    "{pid, name, version, state, …, graph: [{step, does, state, after, waitsFor, question, attempt, pid, startedAt, endedAt, result, error}], signals, queries, result, undone, armed, lasting, faults}",
  "workflow signal": "{id}",
  "workflow query": "{pid, query, value}",
  "plan show": "{version, subtasks, final_output}",
  "role ls": "[{name, description, source, by, parameters, problem}]",
  "role show": "{name, …, file, text, role}",
  "role validate": "{ok, role, file}",
  "role new": "{name, file}",
  nice: "{pid, lane}",
  invoke: "{pid, id, isRepeat, output}",
  cost: "{by, since, until, rows, total, rule, budgets}",
  approvals: `[${question}]`,
  "approvals show": question,
  "approvals cancel": "{id, alsoWithdrawn}",
  approve: answered,
  deny: answered,
  "caps show": "{pid, agent, label, colour, layers, holdings}",
  "caps grant": "{handle, block}",
  "caps revoke": "{revoked, stopped}",
  "caps check": "{allow, code, reason, hint, detail}",
  "caps why": "{pid, seq, call, args, outcome, code, label, touches, blocks, …}",
  "caps suggest": "{of, runs, calls, capabilities, tools, unused, manifest}",
  "caps mint": "{token, ids}",
  "caps verify": "{ok, issuer, holder, blocks}, or {ok, code, why}",
  "caps attenuate": "{token}",
  "policy check": "{ok, problems: [{file, line, field, message}]}",
  "policy test": "{ok, cases: [{name, ok, expected, got}]}",
  "policy show": "{layers, loadedAt}, or the layer",
  "policy reload": "{layers, loadedAt}",
  "policy backtest": "{since, runs, calls, changed, changes}",
  "secret set": "{name, bindings}",
  "secret ls": "[{name, tenant, bindings, updatedAt}]",
  "secret rm": "{name}",
  "token create": `${token} with {token}`,
  "token ls": `[${token}]`,
  "token revoke": "{id, sessions}",
  connect: "{client, line, purpose}, or all",
  trust: "the folder and its files",
  "trust ls": "a list of folders",
  "trust rm": "the folder",
  "agent ls": "[{name, description, models, tools}]",
  "skill ls": `[${skill}]`,
  "skill show": `${skill} with {files, …}`,
  "skill check": skill,
  "skill draft": skillDraft,
  "skill drafts": `[${skillDraft}], with a name that one`,
  "skill approve": "{name, folder, digest}",
  "skill reject": "{name, digest}",
  configure: "{name, file, secret, test}",
  "model ls":
    "[{model, provider, source, window, maxOutputTokens, price, egress, fallback, key, slots}]",
  "model test": "{model, ok, ms, text, usd, error}",
  "model add": "{name, file, secret}",
  top: "{atMs, processes, ended, queue, models}; with `--tree` also tree: [{…process, treeCostUsd, children}]",
  "tool ls":
    "[{name, version, description, source, effect, tags, deprecated, calls, failures, p50Ms, p95Ms, score}]",
  "tool show":
    "as `tool ls` with {input, output, sandbox, undo, egress, hints, lastFailure, needs}",
  "tool call": ending,
  test: "{ok, tests: [{name, file, ok, ms, problems, calls, usd, pid}]}",
  "test record": "{name, test, recording}",
  "ctx ingest":
    "{collections: [{name, path, root, commit, added, changed, unchanged, removed, bytes, skipped, dryRun}]}",
  "ctx ask":
    "{question, answer, citations, passages, conflicts, leftOut, tokens, budget, searchedBy, rerankedBy, tenant, pid}",
  "ctx ls":
    "[{name, path, files, bytes, label, updatedAt, root, commit}], or the files of the collection",
  "ctx rm": "{name, removed}",
  "ctx show": "{pid, model, tokens, window, compactions, blocks, nextUsd}",
  "ctx export": "[{role, content, …}]",
  "ctx compact": started,
  "mem add": "{path, pid}",
  "mem export": "a line each: {path, data, writer, label, writtenAt}",
  "mem import": "{written, unchanged, kept, refused: [{path, error}]}",
  "mem show":
    "{path, data, kind, writer, label, writtenAt, writtenBy, from, replaces, replacedBy, contradicts}",
  "mem forget":
    "{dryRun, erasures, files, paths, records, values, results, messages, questions, runs, left: [{because, pid, rows}]}",
  "mem tidy":
    "{dryRun, id, removed, written, kinds, changes: [{kind, removed, kept}]}; with --undo {id, restored, kept}",
  "mem stats": "[{space, rows, bytes, kinds, labels, oldest, newest}]",
  search:
    "{found: [{pid, seq, agent, speaker, at, text, score, label, why}], tenant, searchedBy, since}",
  "mem search": "{found: [{path, kind, data, score, writer, why}], rerankedBy, tenant, pid}",
  "mem approve": "{path, pid, data}",
  "mem reject": stored,
  "mem ls": "[{path, writer, label, writtenAt, bytes}]",
  "mem read": "{path, writer, label, writtenAt, bytes, data}",
  "fs ls": "[{path, bytes, writer, writtenAt, label}]",
  "fs cat": "{path, pid, data, label, writer, writtenAt}",
  "fs find": "[{path, data, score}]",
  "fs mount": "[{path, driver, guard, writable, label, declaredBy, summary}]",
  "fs write": stored,
  "fs rm": stored,
  "fs log": "[{version, change, writer, agent, writtenAt, label, bytes, isCurrent}]",
  "fs diff": "{path, from, to, diff}",
  "fs restore": "{path, pid, version}",
  send: "{id}",
  "msg send": "{id}",
  "msg publish": "{topic, reached}",
  "msg tail": "one CloudEvent a line",
  "msg dlq": deadLetters,
  "msg dead": deadLetters,
  "msg redrive": "[{id, to}]",
  "msg topics": "[{topic, subscribers, durables, waiting, schema, tenant}]",
  "msg schema": "{topic}",
  "tenant ls": `[${tenant}]`,
  "tenant show": tenant,
  "tenant add": tenant,
  "tenant set": `${tenant} with {stopped}`,
  "tenant rm": "{name, tokens}",
  "mcp add": "{name, file}",
  "mcp ls": `[${server}]`,
  "mcp show": server,
  "mcp test": "{name, ok, steps}",
  "mcp pin": "{name, …}",
  "mcp rm": "{name, …}",
  "mcp serve": "the protocol",
  diff: "{tree, kind, project, state, changes, notes}",
  undo: "{tree, project, files, notes, takenBackBy, undone, lasting}",
  commit: "{tree, project, files, notes}",
  "audit verify": "{ok, processes, records, logged, findings, erasures}",
  "audit ledger": "[{node, seq, at, by, what, detail}]",
  doctor:
    "{ok, checks: [{name, ok, detail, hint, isOptional, program}], sandbox, mechanisms}; with `--attack` {attacks: [{id, name, group, outcome, detail}], gotThrough}",
  "service install": "{file, manager, scope, state}",
  "service uninstall": "{removed, file}",
  "service status": "{installed, manager, scope, file, state, isCurrent, problem}",
  store: "{ok, heads, summary, held, lost, damage}",
  "store accept": "{ok, heads, summary, held, lost, damage}",
  backup: "{file, bytes, files, skipped, store, schema, version, startedAt, endedAt}",
  restore:
    "{home, dryRun, processes, living, records, identical, notReplayed, different, findings, …}",
  migrate: "{from, to, rows, tables, findings, movedAside}",
  export: "{file, bytes, runs, records, signer}",
  import:
    "{file, bundle, signer, runs}; without a file [{pid, agent, state, replay, bundle, signer, importedAt}]",
  archive: "{dryRun, archived, removed, records, bytesFreed, bundles, waiting}",
  "archive ls":
    "[{pid, agent, tenant, parent, state, exitCode, startedAt, endedAt, records, hasHistory, bundle}]",
  "archive verify": "{ok, bundles, runs, unlisted, findings}",
  gc: "{dryRun, compacted, recordsRemoved, bytesFreed, kept, resultsRemoved}",
  version: "{version, node}",
};

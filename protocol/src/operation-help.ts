// Written by `npm run routes` from the rows of protocol/src/operations. Not to be edited.

export const operationHelp = {
  status: { summary: "Show whether the daemon is up, and its state.", args: {} },
  shutdown: { summary: "Stop the daemon.", args: {} },
  config: { summary: "Print every setting, its value and its source.", args: {} },
  doctor: { summary: "Check the daemon, its home, its sandbox and its policy.", args: {} },
  attack: {
    summary: "Run the built-in attacks against the live configuration, one result a line.",
    args: {},
  },
  spawn: {
    summary: "Start an agent.",
    args: {
      agent: "the name of an agent of the caller's project, of the home, or built in",
      manifest:
        "instead of agent: the text of a manifest, and the file name to use in error messages",
      folder: "the folder that relative paths of the manifest refer to",
      cwd: "the caller's folder; its .agents/ is searched first",
      persistent: "stay alive and answer one message after another, whatever its manifest says",
      input: "the input: any JSON value",
      label: "the label of the input, e.g. untrusted/confidential (default: trusted/public)",
      capabilities: "only these capabilities of its manifest",
      budget: "the most that it may spend; its manifest's limits hold as well",
      tenant: "the tenant that the run belongs to",
      model: "the model that it asks, instead of every one that its manifest names",
      name: "a name for the run, to be used instead of its pid; no other living run has it",
      lane: "its priority in the queues",
      deadlineMs: "milliseconds from now until it must have ended",
    },
  },
  list: {
    summary: "List processes, newest first.",
    args: {
      tenant: "only this tenant",
      pids: "only these pids, separated by commas",
      find: "only those whose agent, name or pid contains this text",
      since: "only those that were started then or later",
      before: "the next page: the entries after this one",
      limit: "at most this many, newest first (default: 1000, limit: 10000)",
    },
  },
  show: {
    summary: "Show one process in full.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  manifest: {
    summary: "Print the manifest that a process was started with.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  wait: {
    summary: "Wait until a process ends, and show how it ended.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  signal: {
    summary: "Send a signal to a process.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  send: {
    summary: "Send a message to a process.",
    args: {
      pid: "A pid, a unique beginning of one, the name of a run, or `@last`.",
      type: "the message's type",
      lane: "critical, high, normal (the default), low or background: received in this order",
      ttlMs: "milliseconds after which it is a dead letter if nobody has received it",
    },
  },
  invoke: {
    summary: "Ask a running agent, and print its answer.",
    args: {
      pid: "A pid, a unique beginning of one, the name of a run, or `@last`.",
      context: "JSON messages that replace its context first",
      key: "requests with the same key get the same answer",
    },
  },
  nice: {
    summary: "Set the lane of a process and of all its children.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  submitGoal: {
    summary: "Queue a goal: it is planned, given to roles, and ends with the result.",
    args: {
      goal: "the goal, in words",
      plan: "a plan to run as it is, without planning",
      isPlanOnly: "only plan; nothing is run",
      capabilities: "instead of the default capabilities of goals",
    },
  },
  goals: {
    summary: "List goals, newest first.",
    args: { limit: "at most this many (default: 50)" },
  },
  goal: {
    summary: "Show a goal: its plan, its subtasks, its result and its files.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  watchGoal: {
    summary: "Follow a goal and its subtasks to the end: step, agent, place, event.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  retryGoal: {
    summary: "Restart a goal that ended, and keep what is done.",
    args: {
      pid: "A pid, a unique beginning of one, the name of a run, or `@last`.",
      replan: "make a new plan for the goal, and do all of it",
    },
  },
  roles: { summary: "List the roles, and the problems of those that are not offered.", args: {} },
  role: { summary: "Show a role: its file, and the manifest that a goal makes of it.", args: {} },
  checkRole: { summary: "Check a role file, ours or one of aaOS.", args: {} },
  workflows: {
    summary: "List workflows, newest first.",
    args: { limit: "at most this many (default: 50)" },
  },
  workflow: {
    summary: "Show a workflow: its steps, what it waits for, and what would take it back.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  queryWorkflow: {
    summary: "Ask a workflow for a value by the name of a query; it is not disturbed.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  signalWorkflow: {
    summary: "Send a workflow a message that its steps wait for.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  takeBack: {
    summary:
      "Take back what the tools of a run that ended did, the last first, by their declared undo.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  schedules: { summary: "List schedules.", args: { tenant: "only this tenant's" } },
  schedule: {
    summary: "Show a schedule: its next time, its last one, its power and its budget.",
    args: { tenant: "whose schedule it is" },
  },
  createSchedule: {
    summary: "Create a schedule that starts runs of an agent by itself.",
    args: {
      schedule: "the text of a `kind: Schedule`, and the file name for messages",
      manifest: "in place of its `agent`: the text of a manifest",
      folder: "the folder that relative paths of the manifest refer to",
      cwd: "the caller's folder; its .agents/ is searched too",
      workspace: "the workspace of its runs",
      tenant: "the tenant that its runs belong to",
    },
  },
  editSchedule: {
    summary: "Replace a schedule; its history stays.",
    args: {
      schedule: "the text of a `kind: Schedule`, and the file name for messages",
      manifest: "in place of its `agent`: the text of a manifest",
      folder: "the folder that relative paths of the manifest refer to",
      cwd: "the caller's folder; its .agents/ is searched too",
      workspace: "the workspace of its runs",
      tenant: "the tenant that its runs belong to",
    },
  },
  pauseSchedule: {
    summary: "Pause a schedule: its ticks are skipped, with a record.",
    args: { tenant: "whose schedule it is", reason: "why" },
  },
  resumeSchedule: {
    summary: "Resume a paused schedule; what it skipped is not made up for.",
    args: { tenant: "whose schedule it is" },
  },
  runSchedule: {
    summary: "Start a run of a schedule now, also while it is paused.",
    args: { tenant: "whose schedule it is", key: "the same key starts one run only" },
  },
  removeSchedule: {
    summary: "Remove a schedule and its history; its runs go on.",
    args: { tenant: "whose schedule it is" },
  },
  scheduleTicks: {
    summary: "List what came of the ticks of a schedule, newest first.",
    args: {
      tenant: "whose schedule it is",
      olderThan: "the page after this tick, by its id",
      limit: "at most this many (default: 100, limit: 1000)",
    },
  },
  fleets: { summary: "List fleets.", args: { tenant: "only this tenant's" } },
  fleet: {
    summary: "Show a fleet: replicas, queue, versions, errors, cost and roll.",
    args: { tenant: "whose fleet it is" },
  },
  applyFleet: {
    summary: "Create a fleet, or change all of one but its agent.",
    args: {
      fleet: "the text of a `kind: Fleet`, and the file name for messages",
      manifest: "in place of its `agent`: the text of a manifest",
      folder: "the folder that relative paths of the manifest refer to",
      cwd: "the caller's folder; its .agents/ is searched too",
      workspace: "the workspace of its runs",
      tenant: "the tenant that its runs belong to",
      mustBeNew: "refused where there is one of that name",
    },
  },
  scaleFleet: {
    summary: "Set the bounds of a fleet's replicas; the same number twice fixes them.",
    args: { tenant: "whose fleet it is", min: "at least so many", max: "at most so many" },
  },
  rollFleet: {
    summary: "Bring a fleet to a new version of its agent: some items first, then all or none.",
    args: {
      fleet: "the text of a `kind: Fleet`, and the file name for messages",
      manifest: "in place of its `agent`: the text of a manifest",
      folder: "the folder that relative paths of the manifest refer to",
      cwd: "the caller's folder; its .agents/ is searched too",
      workspace: "the workspace of its runs",
      tenant: "the tenant that its runs belong to",
    },
  },
  decideFleetRoll: {
    summary: "Promote, roll back, pause or resume the roll of a fleet.",
    args: { tenant: "whose fleet it is", decision: "what becomes of it" },
  },
  pauseFleet: {
    summary: "Pause a fleet: items may be sent and wait; running ones go on.",
    args: { tenant: "whose fleet it is", reason: "why" },
  },
  drainFleet: {
    summary: "Drain a fleet: no item is begun or accepted; running ones go on to their end.",
    args: { tenant: "whose fleet it is", reason: "why" },
  },
  resumeFleet: {
    summary: "Resume a fleet that is paused or drained.",
    args: { tenant: "whose fleet it is" },
  },
  removeFleet: {
    summary: "Remove a fleet with its items and history.",
    args: {
      tenant: "whose fleet it is",
      force:
        "with items that are not finished. discard: those that wait are dropped, running ones go on as plain processes. stop: those are ended too",
    },
  },
  sendFleetItem: {
    summary: "Send an item to a fleet; the same key is one item.",
    args: {
      tenant: "whose fleet it is",
      input: "what a replica gets; checked against the fleet's schema",
      key: "its id: sent again, it is the same item",
      label: "of the input (default: trusted/public)",
    },
  },
  fleetItems: {
    summary: "List the items of a fleet, newest first.",
    args: {
      tenant: "whose fleet it is",
      state: "only waiting, running, done or dead ones",
      olderThan: "the page after this item",
      limit: "at most this many (default: 100, limit: 1000)",
    },
  },
  fleetItem: { summary: "Show an item of a fleet.", args: { tenant: "whose fleet it is" } },
  retryFleetItem: {
    summary: "Send a dead item again, with all its attempts.",
    args: { tenant: "whose fleet it is" },
  },
  fleetEvents: {
    summary: "List what happened to a fleet, newest first.",
    args: {
      tenant: "whose fleet it is",
      olderThan: "the page after this event",
      limit: "at most this many (default: 100, limit: 1000)",
    },
  },
  journal: {
    summary: "Print the journal of a process, one record per line.",
    args: {
      pid: "A pid, a unique beginning of one, the name of a run, or `@last`.",
      after: "only the records after this one",
    },
  },
  watch: {
    summary: "Follow the journal of a process, record by record, until it ends.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  attach: {
    summary: "Follow the records and the output of a process.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  coreDump: {
    summary: "Show the state that an abnormal end left behind.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  replay: {
    summary: "Run a process again from its journal, without tools or models.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  fork: {
    summary: "Start a new process that shares the history of another.",
    args: {
      pid: "A pid, a unique beginning of one, the name of a run, or `@last`.",
      at: "fork after this record (default: the last before the end)",
    },
  },
  retry: {
    summary: "Fork a process and repeat one of its calls.",
    args: {
      pid: "A pid, a unique beginning of one, the name of a run, or `@last`.",
      from: "the number of the call (default: the last that failed)",
      result: "do not make the call; use this as its result",
    },
  },
  causes: {
    summary: "Explain why a process ended, or the causes of a record.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  moment: {
    summary: "Show the state of a process at one of its records.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  questions: {
    summary: "List the questions that wait for a person.",
    args: {
      pid: "Only what this run, or one that it started, waits for.",
      id: "This one, or those whose ids begin so.",
      after: "the next page: the entries after this one",
      limit: "at most this many (default: 100, limit: 1000)",
    },
  },
  answer: {
    summary: "Answer a question.",
    args: {
      text: "the reason; it is recorded with the answer",
      by: "the person who decides (default: the owner of the socket or of the token)",
      always: "grant the agent what it asks for from now on, where the question allows it",
    },
  },
  cancelQuestion: {
    summary: "Withdraw a question; the call that waits for it is refused.",
    args: { text: "the reason; the agent reads it" },
  },
  power: {
    summary: "Show the capabilities of a process, or of every process of an agent.",
    args: {},
  },
  grant: {
    summary: "Grant capabilities to a process, or to every process of an agent from now on.",
    args: { reason: "the reason; it is recorded" },
  },
  revoke: { summary: "Revoke a grant or a token, by handle, block or token id.", args: {} },
  check: {
    summary: "Show whether the gate would allow a call, without making it.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  why: {
    summary: "Say why a recorded call was allowed or refused.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  suggest: {
    summary: "Write the smallest manifest that allows every recorded call.",
    args: { widen: "folder: whole folders instead of single files" },
  },
  mintToken: {
    summary: "Create a token that carries capabilities.",
    args: { signed: "sign it, so that anyone with the public key can verify it" },
  },
  verifyToken: { summary: "Show the capabilities of a token and whether it is valid.", args: {} },
  attenuateToken: { summary: "Add a block that narrows a token.", args: {} },
  notifyTargets: {
    summary: "List whom the daemon tells of what, and how many notifications wait or failed.",
    args: { tenant: "whose notifications" },
  },
  testNotify: {
    summary: "Send a test notification to a target now, and say what came of it.",
    args: { tenant: "whose notifications" },
  },
  notifications: {
    summary: "List notifications, the newest first: those that wait, were sent, or were given up.",
    args: {
      tenant: "whose notifications",
      target: "only of this target",
      state: "only in this state: waiting, done, void, held or dead",
      olderThan: "the page after this one, by its id",
      limit: "at most this many (default: 100, limit: 1000)",
    },
  },
  retryNotification: {
    summary: "Send a notification again that was given up or held.",
    args: { tenant: "whose notifications" },
  },
  policy: { summary: "Show the policy in force, layer by layer.", args: {} },
  checkPolicy: { summary: "Check policy files and list every problem.", args: {} },
  testPolicy: { summary: "Run the tests beside a policy (policy.test.yaml).", args: {} },
  reloadPolicy: {
    summary: "Reload the policy files; if one has a problem, the old policy stays in force.",
    args: {},
  },
  backtestPolicy: {
    summary: "Show which recorded calls this policy would have decided differently.",
    args: {},
  },
  searchRuns: {
    summary: "Search the texts of runs: requests, answers, messages, tool results.",
    args: {
      query: "The query: words or a question.",
      agent: "only runs of this agent",
      pid: "only this run",
      since: "only texts from this time or later",
      until: "only texts from before this time",
      label: "only runs that are at least this trusted",
      limit: "at most this many (default: 10)",
      tenant: "in the runs of this tenant",
    },
  },
  secrets: {
    summary: "List the names of the secrets and where each may be used; never the values.",
    args: {},
  },
  setSecret: {
    summary: "Store a secret, and bind it to the places where it may be used.",
    args: {},
  },
  removeSecret: { summary: "Delete a secret.", args: {} },
  agents: { summary: "List the agents that can be started by name here.", args: {} },
  tools: { summary: "List the tools, or search them by words.", args: {} },
  tool: { summary: "Show a tool in full: its arguments, needs and statistics.", args: {} },
  callTool: { summary: "Call a tool once, through the gate, and print its result.", args: {} },
  folderProblems: {
    summary: "List the files of the home and of a folder that were ignored, and why.",
    args: {},
  },
  mcpServers: { summary: "List the MCP servers and their state.", args: {} },
  addMcpServer: {
    summary: "Add an MCP server for all agents, and list its tools.",
    args: { url: "a server over HTTP", env: "environment variables; $NAME is a secret" },
  },
  removeMcpServer: {
    summary: "Remove an MCP server from $AOS_HOME/mcp.yaml, with its pins.",
    args: {},
  },
  testMcpServer: { summary: "Test the connection to an MCP server, step by step.", args: {} },
  pinMcpServer: {
    summary: "Pin the present descriptions of the tools of an MCP server.",
    args: {},
  },
  skills: { summary: "List the skills, and the problems of those that are not offered.", args: {} },
  skill: {
    summary: "Show one skill in full: its instructions, its files, the tools that it allows.",
    args: {},
  },
  checkSkill: { summary: "Check a skill folder against the AgentSkills specification.", args: {} },
  draftSkill: {
    summary: "Draft a skill from a run that went well, for a person to review.",
    args: {
      name: "its name (default: words of the goal)",
      model: "a model that words it, as provider/name (default: rules)",
      usd: "the most that the model may cost, in dollars (default: 0.50)",
    },
  },
  skillDrafts: {
    summary: "List the drafts of skills, with the runs that they were made from.",
    args: {},
  },
  skillDraft: { summary: "Show a draft of a skill.", args: {} },
  approveSkillDraft: {
    summary: "Make a draft a skill of this home, which agents may be given.",
    args: { digest: "the digest of the draft that was read; another text is refused" },
  },
  rejectSkillDraft: { summary: "Remove a draft of a skill.", args: {} },
  trustedFolders: {
    summary: "List the project folders that are trusted, and whether they have changed.",
    args: {},
  },
  lookAtFolder: {
    summary: "Show the permissions that a project folder asks for, and whether it is trusted.",
    args: {},
  },
  trustFolder: { summary: "Trust a project folder in the state that was reviewed.", args: {} },
  distrustFolder: {
    summary: "Revoke the trust of a project folder, and stop its servers.",
    args: {},
  },
  changes: {
    summary: "Show the changes of a process and its children in their workspace.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  undo: {
    summary: "Revert the changes in the workspace, and those committed from it.",
    args: {
      pid: "A pid, a unique beginning of one, the name of a run, or `@last`.",
      force: "also revert files that were changed since",
    },
  },
  commit: {
    summary: "Commit the changes of a copy to the project, all or nothing.",
    args: {
      pid: "A pid, a unique beginning of one, the name of a run, or `@last`.",
      force: "also commit over files that were changed since; never what the policy forbids",
    },
  },
  storeReport: { summary: "Check that the store has everything that was written to it.", args: {} },
  acceptStore: {
    summary: "Accept the loss of records, and resume the blocked processes.",
    args: {},
  },
  verify: {
    summary: "Verify every record and report changed, truncated and missing ones.",
    args: {},
  },
  collect: {
    summary: "Compact finished runs that are older than their retention.",
    args: { dryRun: "only print the planned changes" },
  },
  ledger: {
    summary: "List the actions of people that are in no journal, newest last.",
    args: { limit: "only the last N (default: 1000)" },
  },
  backUp: {
    summary: "Write everything that is kept to one sealed file, while agents run.",
    args: { file: "A file of the daemon's machine that is not there yet." },
  },
  exportRuns: {
    summary: "Write runs to one signed file that another machine can replay.",
    args: {
      file: "A file of the daemon's machine that is not there yet.",
      agent: "Only trees with a run of this agent.",
      since: "Only trees with a run that was started then or later.",
    },
  },
  archiveRuns: {
    summary: "Move finished runs from the database to signed bundles in the archive.",
    args: {
      endedBefore: "Whole trees that ended before this time.",
      dryRun: "only print the planned changes",
    },
  },
  archivedRuns: {
    summary: "List the runs in the archive, newest first.",
    args: {
      tenant: "only runs of this tenant",
      agent: "only runs of this agent",
      limit: "only the newest N (default: 100)",
    },
  },
  verifyArchive: {
    summary: "Verify every bundle of the archive and report changed, truncated and missing ones.",
    args: {},
  },
  tenants: {
    summary: "List the tenants with their processes, spending and remaining budgets.",
    args: {},
  },
  tenant: {
    summary: "Show a tenant and its ceiling: the most that its processes may hold.",
    args: {},
  },
  addTenant: { summary: "Create a tenant.", args: {} },
  setTenant: {
    summary: "Set the ceiling of a tenant: the most that its processes may hold.",
    args: {},
  },
  removeTenant: { summary: "Disable a tenant, and revoke its access tokens.", args: {} },
  searchMemory: {
    summary: "Search the memory of agents by words and meaning.",
    args: {
      query: "The query: words or a question.",
      path: "only below this path: /mem/semantic/people of every agent, /mem/agents/researcher/semantic of one",
      agent: "only results written by processes of this agent",
      pid: "only results written by this process",
      tenant: "in the memory of this tenant",
      label: "only results that are at least this trusted; untrusted: also facts in quarantine",
      since: "only records from this time or later",
      until: "only records from before this time",
      limit: "at most this many (default: 10)",
      rerank: "a model that orders the results, as provider/name",
      usd: "the most that this may cost, in dollars (default: 0.50)",
    },
  },
  memory: {
    summary: "List the memory files of a process, or read one.",
    args: {
      pid: "A pid, a unique beginning of one, the name of a run, or `@last`.",
      path: "A file or a folder (default: `/mem`).",
      after: "the next page: the entries after this one",
      limit: "at most this many, by path (default: 1000, limit: 10000)",
    },
  },
  addFact: {
    summary: "Write a fact into the memory of an agent.",
    args: {
      text: "The fact, as a full sentence.",
      agent: "the agent whose memory it is, or its space: researcher, helper@3f0a",
      path: "a folder of memory instead: /mem/shared/team, /mem/agents/researcher/semantic",
      subject: "its subject, e.g. gateway port",
      confidence: "its confidence, from 0 to 1 (default: 0.8)",
      source: "where it is from (default: operator)",
      replaces: "the path of the fact that it replaces",
      tenant: "in the memory of this tenant",
    },
  },
  memoryRecord: {
    summary: "Show a record of memory and where it comes from.",
    args: { tenant: "in the memory of this tenant" },
  },
  exportMemory: {
    summary: "Read the files of memory below a path, with their labels.",
    args: {
      path: "only below this path (default: all but /mem/working)",
      agent: "the agent whose memory it is, or its space: researcher, helper@3f0a",
      after: "the next page: `next` of the last",
      limit: "at most this many",
      tenant: "of this tenant",
    },
  },
  importMemory: {
    summary: "Write records of memory that were exported.",
    args: {
      agent: "into the memory of this agent, regardless of the paths",
      trusted: "the labels of the file are right; otherwise everything in it is untrusted",
      tenant: "in the memory of this tenant",
    },
  },
  memoryStats: {
    summary: "Show the contents of each memory space.",
    args: { tenant: "of this tenant" },
  },
  startEval: {
    summary: "Run agents and models over a data set, and score what comes of it.",
    args: {
      file: "the text of the Eval file, and its name for messages",
      files: "files that it names: the data set, and those of code scorers",
      agentFolders: "the folders that their relative paths refer to",
      isAgentsOnly: "the agents given here, and not those of the file",
      budget: "the most that runs and judges may cost together: usd=2",
      workspaceFolder: "a folder that each run has a copy of",
    },
  },
  evals: {
    summary: "List evaluations, newest first.",
    args: { limit: "at most this many (default: 50)" },
  },
  eval: {
    summary: "Show an evaluation: scores with their intervals, costs and every run.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  resumeEval: {
    summary: "Go on with an evaluation that ended, without what is scored.",
    args: {
      pid: "A pid, a unique beginning of one, the name of a run, or `@last`.",
      budget: "the most that runs and judges may cost together: usd=2",
    },
  },
  cancelEval: {
    summary: "End an evaluation, and the runs that it has begun.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  compareEvals: {
    summary:
      "Compare two evaluations case by case, and say whether the difference is more than chance.",
    args: {
      pid: "A pid, a unique beginning of one, the name of a run, or `@last`.",
      other: "The second one.",
      variants: "FIRST=SECOND, a pair of variants (default: those of equal names)",
    },
  },
  evalDataset: {
    summary: "Make a data set from recorded runs.",
    args: { since: "begun then or later, in ms since 1970", outcome: "only runs in this state" },
  },
  forgetMemory: {
    summary: "Remove everything about a subject from memory and from the journals.",
    args: {
      about: "words that it contains",
      path: "only this file of memory or folder, and copies of its text",
      pid: "only files last written by this process, and copies",
      writer: "only files last written by processes of this agent, and copies",
      tenant: "in this tenant",
      dryRun: "only list what would be removed",
      stop: "end the processes that hold a part of it first",
    },
  },
  tidyMemory: {
    summary: "Merge duplicates, retire replaced facts, summarize episodes and limit memory.",
    args: {
      agent: "only the memory of this agent, or space (default: of every agent)",
      olderThanMs: "facts replaced, and episodes written, longer ago (default: 30d)",
      maxAgeMs: "also remove records older than this, e.g. 365d",
      maxRows: "also remove the oldest beyond this many in each space",
      dryRun: "only list the changes",
      tenant: "in this tenant",
    },
  },
  untidyMemory: {
    summary: "Take back what was tidied.",
    args: { id: "The id.", tenant: "in this tenant" },
  },
  mounts: {
    summary: "List the mounts of the file tree.",
    args: {
      pid: "as this process sees it (default: the files that the tenant shares)",
      tenant: "of this tenant",
    },
  },
  listFiles: {
    summary: "List the files below a path.",
    args: {
      path: "the folder (default: /)",
      pid: "as this process sees it (default: the files that the tenant shares)",
      tenant: "of this tenant",
      after: "the next page: `next` of the last",
      limit: "at most this many (default: 1000, limit: 10000)",
    },
  },
  readFile: {
    summary: "Read a file.",
    args: {
      pid: "as this process sees it (default: the files that the tenant shares)",
      tenant: "of this tenant",
      after: "the next page of rows",
      limit: "at most this many rows",
    },
  },
  findFiles: {
    summary: "Find files below a path by the words in them.",
    args: {
      query: "The words to look for.",
      pid: "as this process sees it (default: the files that the tenant shares)",
      tenant: "of this tenant",
      limit: "at most this many (default: 10)",
    },
  },
  writeFile: {
    summary: "Write a file that the processes of a tenant share.",
    args: {
      tenant: "of this tenant",
      label: "where the data comes from, e.g. untrusted/secret (default: trusted/public)",
    },
  },
  removeFile: {
    summary: "Remove a file that the processes of a tenant share.",
    args: { tenant: "of this tenant" },
  },
  fileVersions: {
    summary: "List the versions of a file of memory, the newest first.",
    args: {
      pid: "as this process sees it (default: the files that the tenant shares)",
      tenant: "of this tenant",
      after: "the next page: `next` of the last",
      limit: "at most this many (default: 50, limit: 1000)",
    },
  },
  fileVersion: {
    summary: "Read a version of a file of memory.",
    args: {
      version: "as the list of versions names it: PID#SEQ",
      pid: "as this process sees it (default: the files that the tenant shares)",
      tenant: "of this tenant",
    },
  },
  diffFile: {
    summary: "Show the differences between two versions of a file.",
    args: {
      from: "the older version (default: the one before `to`)",
      to: "the newer version (default: the last)",
      pid: "as this process sees it (default: the files that the tenant shares)",
      tenant: "of this tenant",
    },
  },
  restoreFile: {
    summary: "Write a version of a file again, as a new version.",
    args: { tenant: "of this tenant" },
  },
  deadLetters: {
    summary: "List dead letters: messages that no process will receive.",
    args: {
      pid: "Only those sent to this process.",
      before: "The page after this letter.",
      limit: "at most this many (default: 100, limit: 1000)",
    },
  },
  redrive: {
    summary: "Put a dead letter back into a mailbox.",
    args: { to: "another process than it was sent to" },
  },
  topics: { summary: "List the topics that are subscribed to or have a schema.", args: {} },
  publish: {
    summary: "Publish an event to the subscribers of a topic.",
    args: {
      topic: "The topic: words with dots between them.",
      tenant: "the subscribers of this tenant",
      lane: "critical, high, normal (the default), low or background: received in this order",
      ttlMs: "milliseconds after which it is a dead letter if nobody has received it",
    },
  },
  publishCloudEvent: {
    summary: "Publish a CloudEvent: its data, with its type.",
    args: { topic: "The topic: words with dots between them." },
  },
  sendCloudEvent: {
    summary: "Send the data of a CloudEvent to a process, with its type.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  tailMessages: {
    summary: "Follow the messages that agents send and receive, as CloudEvents.",
    args: { pid: "Only what this process does.", topic: "only events of this topic" },
  },
  setTopicSchema: {
    summary: "Set the JSON Schema that events of a topic have to fit.",
    args: {
      topic: "The topic: words with dots between them.",
      schema: "the schema; null removes it",
      tenant: "the topic of this tenant",
    },
  },
  models: { summary: "List the available models, their prices and their state.", args: {} },
  testModel: { summary: "Test a model with a one-word request through the gate.", args: {} },
  addProvider: {
    summary: "Add a model provider to config.yaml; it takes effect at once.",
    args: { type: "anthropic, openai, openai-chat, google, openai-compatible or ollama" },
  },
  queue: { summary: "Show the start queue and the queues of the models.", args: {} },
  cost: {
    summary: "Show spending by agent, model or tool, and the remaining budgets.",
    args: { by: "agent (default), tree, model, tool, tenant or day", tenant: "only this tenant" },
  },
  estimateSpawn: {
    summary: "Estimate the cost of a run.",
    args: {
      agent: "the name of an agent of the caller's project, of the home, or built in",
      manifest:
        "instead of agent: the text of a manifest, and the file name to use in error messages",
      folder: "the folder that relative paths of the manifest refer to",
      cwd: "the caller's folder; its .agents/ is searched first",
      persistent: "stay alive and answer one message after another, whatever its manifest says",
      input: "the input: any JSON value",
      label: "the label of the input, e.g. untrusted/confidential (default: trusted/public)",
      capabilities: "only these capabilities of its manifest",
      budget: "the most that it may spend; its manifest's limits hold as well",
      tenant: "the tenant that the run belongs to",
      model: "the model that it asks, instead of every one that its manifest names",
      name: "a name for the run, to be used instead of its pid; no other living run has it",
      lane: "its priority in the queues",
      deadlineMs: "milliseconds from now until it must have ended",
    },
  },
  estimateFork: {
    summary: "Estimate the cost of a fork.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  estimateReplay: {
    summary: "Estimate the cost of a replay.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  context: {
    summary: "Show the context of an agent: each message, its tokens, and the compactions.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  exportContext: {
    summary: "Print the context of an agent as JSON: the messages as its model received them.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  compactContext: {
    summary: "Tell an agent to replace its old messages by a summary.",
    args: { pid: "A pid, a unique beginning of one, the name of a run, or `@last`." },
  },
  collections: { summary: "List the ingested collections.", args: { tenant: "of this tenant" } },
  collectionFiles: {
    summary: "List the files of a collection and their sources.",
    args: {
      tenant: "of this tenant",
      after: "the next page: `next` of the last",
      limit: "at most this many (default: 1000)",
    },
  },
  ingest: {
    summary: "Write and remove files of a collection, as they were read by the caller.",
    args: {
      remove: "Files that are forgotten.",
      label: "The label of the files (default: untrusted/public).",
    },
  },
  askContext: {
    summary: "Find the passages that answer a question, within a budget of tokens.",
    args: {
      collections: "Only in these (default: all of shared memory).",
      tokens: "the budget for passages (default: 4000)",
      model: "let this model answer from the passages",
      rerank: "A model that orders the passages, with one request.",
      usd: "the most that models may cost (default: 0.50)",
    },
  },
  runTests: {
    summary: "Run tests of agents, with a scripted model and fake tools.",
    args: { only: "only tests whose file or name contains these words" },
  },
  recordTest: {
    summary: "Create a test from an ended run, and run it once.",
    args: {
      pid: "A pid, a unique beginning of one, the name of a run, or `@last`.",
      name: "the name of the files (default: the agent's name and the end of the pid)",
      agent: "the manifest to test",
    },
  },
  accessTokens: {
    summary: "List the access tokens and sessions of the HTTP API, without their secrets.",
    args: {},
  },
  createAccessToken: {
    summary: "Create an access token for the HTTP API.",
    args: {
      role: "viewer, approver or operator",
      tenant: "limit the token to this tenant (default: all tenants)",
      name: "the person who holds the token (default: the token's id)",
    },
  },
  revokeAccessToken: { summary: "Revoke an access token and its sessions.", args: {} },
  loginKey: {
    summary: "Create a single-use key that opens the dashboard and expires soon.",
    args: {},
  },
  whoAmI: { summary: "Show the identity and role of the caller.", args: {} },
} as const;

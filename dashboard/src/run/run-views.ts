// The parts of a run's page; which one is shown is in the address.

export const runViews = {
  talk: "Conversation",
  timeline: "Timeline",
  files: "Files",
  access: "Access",
  journal: "Journal",
} as const;

export type RunView = keyof typeof runViews;

export const runViewNames = Object.keys(runViews) as RunView[];

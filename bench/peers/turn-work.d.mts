export const TURNS: number;
export const MODEL: string;
export const KEY: string;
export const SYSTEM: string;
export const QUESTION: string;
export const ANSWER: string;

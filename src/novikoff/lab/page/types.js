// What the page's modules hand to each other, as types only.

/** @typedef {{X: number[][], y: number[], names: string[], classes: string[]}} Data */
/** @typedef {[number, number, number, number]} Frame  x from, x to, y from, y to */
/** @typedef {{version: 1, demo: string, data: Data, parameters: Record<string, any>, view: Record<string, any>}} Scene */
/**
 * @typedef {{name: string, label: string, options: [any, string][], low: number, high: number, step: number | string,
 *   parts: string[], help: string, slider: boolean, only: [string, any] | null}} Control
 */
/**
 * @typedef {{name: string, title: string, lectures: string, text: string[], task: string,
 *   asks: Record<string, {follows: boolean, by_itself: boolean}>, controls: Control[],
 *   presets: {name: string, title: string, data: Data, parameters: Record<string, any>}[]}} Demonstration
 */
/**
 * A parameter of a demonstration, as its lesson has it. @typedef {{name: string, label: string, default: any, options?: any[][], low?: number, high?: number, step?: number,
 *   whole?: boolean, parts?: string[], help?: string, slider?: boolean, only?: any[]}} Choice
 */
/**
 * A question that the page asks about a scene: `follows`, whether also while a row is dragged; `by_itself`, whether at every change, or only when the view asks.
 * @typedef {{answer: (data: Data, parameters: Record<string, any>, more?: any) => any, follows?: boolean, by_itself?: boolean}} Ask
 */
/**
 * A demonstration without its view: text, presets, parameters, and what it answers.
 * @typedef {{name: string, title: string, lectures: string, text: string[], task: string, presets: {name: string, title: string, data: Data, parameters: Record<string, any>}[],
 *   controls: Choice[], asks: Record<string, Ask>, python: (data: Data, parameters: Record<string, any>) => string}} Lesson
 */
/** @typedef {{place: string, text: string, demo: string, preset: string, hint: string, marked: boolean}} Question */
/** @typedef {{demonstrations: Demonstration[], questions: Question[], items: {place: string, text: string, demo: string, preset: string}[], glossary: [string, string][]}} Catalogue */
/** @typedef {{answer?: any, error?: string}} Answer */
/**
 * What a demonstration's view is given.
 * @typedef {{scene: Scene, demo: Demonstration, answers: Record<string, any>, errors: Record<string, string>,
 *   stale: Record<string, boolean>, setData: (data: Data, dragging?: boolean) => void,
 *   setParameters: (parameters: Record<string, any>, dragging?: boolean) => void, setView: (view: Record<string, any>) => void,
 *   ask: (name: string, more?: any) => any, say: (text: string) => void}} Lab
 */

export const TYPES_ONLY = true;

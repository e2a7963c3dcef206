/** What a question's stream tells, as the assistant declares it. */
export type { AssistantEvent, StopReason } from '../../src/assistant/events.ts';

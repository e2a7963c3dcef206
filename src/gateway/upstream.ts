/** Another process may lie: what it answers is read as strictly as what a caller sends. */
import { z } from 'zod';
import type { Answer } from '../core/answer.ts';
import { errorAnswer, pendingAnswer } from '../core/derive/answers.ts';

const success = z.object({ status: z.literal('success'), data: z.unknown(), metadata: z.record(z.string(), z.unknown()).optional() });
const answer = z.discriminatedUnion('status', [success, errorAnswer, pendingAnswer]);

/** Throws for anything that is not one of our answers. */
export const parseAnswer = (text: string): Answer => answer.parse(JSON.parse(text)) as Answer;

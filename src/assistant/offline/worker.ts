/** The worker thread of the offline model: indexes the declarations once, then runs jobs. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Declarations } from './declarations.ts';
import { indexTools } from './index-tools.ts';
import { answerJob, type Job, type Reply } from './job.ts';

const index = indexTools(workerData as Declarations);
const reply = (given: Reply): void => parentPort?.postMessage(given);

parentPort?.on('message', (job: Job) => {
  try {
    reply({ steps: answerJob(index, job) });
  } catch (error) {
    reply({ error });
  }
});
reply({ ready: true });

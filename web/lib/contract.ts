/** Names for the API types that are generated from the OpenAPI document. */
import type { AssistantEvent, Conversation, Readiness, Success, ToolList } from '../../contracts/api.d.ts';

export type {
  Answer,
  AssistantEvent,
  AuditRecord as AuditEntry,
  AuditVerdict,
  Confirmation,
  Conversation,
  ConversationSummary,
  Error as ErrorAnswer,
  Readiness,
  SealedRecord,
  Success as SuccessAnswer,
  ToolList,
  User,
} from '../../contracts/api.d.ts';

export type ListMetadata = NonNullable<Success['metadata']>;
export type ServerInfo = ToolList['servers'][number];
export type ToolInfo = ServerInfo['tools'][number];
export type MaskInfo = ToolInfo['masked'][number];
export type Chart = NonNullable<ToolInfo['chart']>;
export type ServerState = NonNullable<Readiness['servers']>[number];
export type StopReason = Extract<AssistantEvent, { type: 'stop' }>['reason'];
export type Exchange = Conversation['exchanges'][number];

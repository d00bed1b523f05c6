/** Version of the agent socket. Version 1 lacks timeouts on waits, 2 lacks pipelined steps, and 3 lacks attempts. */
export const SOCKET_PROTOCOL = 4;
export const TIMEOUTS_PROTOCOL = 2;
/**
 * From this version on, SDKs may begin steps without waiting for a response, and send a request before an `end` is
 * answered.
 */
export const LEASES_PROTOCOL = 3;

/*
 * The agent socket: newline-delimited JSON, one request at a time per connection (but see "Steps that begin ahead").
 *
 *   → {"id":0,"op":"hello","protocol":2}            ← {"id":0,"ok":true,"protocol":2}
 *        a client may send its first request in the same piece, before the answer to the hello
 *   → {"id":1,"op":"verb","argv":["step","x","--","make"],"cwd":"/src"}
 *
 * and then one of these, in which the verb client does what it is told and no more; everything else, argument
 * parsing included, is done by the agent:
 *
 *   ← {"id":1,"exit":0,"stdout":"<base64>","stderr":"text","replayed":true}
 *        print and exit. With `replayed`, stdout is left out when it is the script's own log (see `log`).
 *   ← {"id":1,"exec":["make"],"key":"<SVC_IDEMPOTENCY_KEY>","limit":2097152}
 *        run it (environment less every SVC_*, plus the key), capture stdout up to `limit`, pass stderr through, then
 *   → {"id":1,"op":"result","exit":0,"stdout":"<base64>","size":5,"error":"text when it could not be started"}
 *        ← {"id":1,"exit":0,...} once the record is durable
 *        With `attempt` (from 1) or `timeout_ms`, `under` stands before the command: a program that sets ATTEMPT and
 *        ends the command's process group in time. `exec` may come again after a `result`: the next attempt.
 *   ← {"id":1,"stdin":2097152}
 *        read standard input up to that many bytes, then
 *   → {"id":1,"op":"stdin","data":"<base64>","size":n}
 *   ← {"id":1,"handoff":true}
 *        not a verb: become the full CLI with the same arguments
 *   ← {"id":1,"gone":true}
 *        the activity is parked or its claim is lost; wait to be killed
 *
 * `log` ("<dev>:<ino>" of the script's standard output, in any reply that carries or captures stdout) lets the
 * client tell the log from a pipe of the script: what was recorded once is not logged again, and a first run's
 * output streams into the log while it is captured. It may name several, apart by spaces (stdout and stderr of the
 * script: `svc step x -- cmd >&2` ends in the log too). Any reply may be {"id":1,"error":{"message","next"}}: the
 * verb client prints it and exits with 1. After a command, an `exit` without `stdout` has the client echo what it
 * captured, if that was within the limit; not so with a `code`, for then nothing was recorded.
 *
 * SDKs use the structured requests on the same socket:
 *   → {"id":1,"op":"begin","kind":"step","name":"x","label":"shown"}
 *        ← {"id":1,"record":{…},"replayed":true} | {"id":1,"run":true,"key":"…","position":0,"site":"x#0","limit":2097152}
 *   → {"id":1,"op":"end","exit":0,"stdout":"<base64>","size":5,"error":"why it failed"}
 *        `size` when stdout is only the beginning: more than the limit is refused by how much it is over
 *        ← {"id":1,"record":{…},"replayed":false}
 *   → {"id":1,"op":"call","verb":"wait-signal","args":["go","--timeout","5s"],"stdin":"<base64>","exec":true}
 *        ← as for a verb: {"id":1,"exit":0,"stdout":"<base64>","stderr":"text","replayed":true}, and beside these
 *          "kind", of the last record, and "message", why that failed, on replay too; with `exec` the caller can be asked to run a command
 *          (or what stands for it: a function), else a verb that would is refused. A function is told `attempt`, `site`
 *          and `timeout_ms`, and may answer "final":true in its `result`: no further attempt is made
 *
 * Steps that begin ahead, from protocol 3 on. The hello says which run this is, for the keys of steps, and the limit that
 * `begin` answers else:
 *   ← {"id":0,"ok":true,"protocol":3,"ahead":{"run":"run_…","activity":"act_…","limit":2097152}}
 * Answers to `begin`, `end` and `call` may carry
 *   "ahead":{"ms":10.4,"steps":[["x",0],["y",2]]}
 *        `steps`: names and ordinals of steps that this connection has not heard of, those of other callers among them.
 *        `ms` above 0: until so long after the request was *sent* that is answered here, the next calls of the journal are
 *        those of this connection, nothing is recorded for them, and it has heard of every step before.
 * In that time a step may be begun without waiting for an answer, with the key that it has at its place (`idempotencyKey`
 * in plugins/execution/replay/contract.ts, from run, activity, "step", name and the number of earlier steps of that name):
 *   → {"id":3,"op":"begin","kind":"step","name":"x","key":"<64 hex digits>"}
 *        and when the time is not over *after* this was written, the function is run. There is no answer, but an error.
 *   → {"id":3,"op":"begun"}
 *        in place of that, when the time is over: ← {"id":3,"run":true,…} as if `key` had not been given
 *   → {"id":4,"op":"end",…}   ← {"id":4,"record":{…},"replayed":false,"ahead":{…}}
 * A `begin` with a `key` that comes when the places are no longer those of the connection is answered as without. A `key`
 * that is not that of the place is refused, and the connection closed: nothing is recorded of that step.
 * Names and labels that the agent would refuse must be sent without a `key`, so that the agent refuses them.
 * Also from protocol 3 on, the next request may be sent as soon as an `end` is written: answers to ends come when their
 * records are durable, in the order of the ends. At most 64 may be unanswered, and answers of more than 64 MiB that lie
 * unread close the connection. {"id":…,"gone":true} may come at any time, under any number.
 *
 * The journal, for a program that is the only caller of its pass. Its greeting says how many calls are `recorded`:
 *   → {"id":1,"op":"journal","from":0}   ← {"id":1,"records":[{"kind":"step","name":"x",…},{"kind":"sleep"},…]}
 *        about 256 KiB of them. A step whose name is the recorded one is answered from there. The next request says how
 *        many were: {"id":2,"op":"begin",…,"repeated":12}; so does the end of the function. Any other call is sent, and
 *        compared by the agent.
 *   ← {"id":2,…,"next":13}
 *        the position of the next call, until every record is read
 *
 *   A request that is refused as such is answered {"id":1,"error":{"code":"…","message":"…","next":"…"}}.
 */

/** A reply to the verb client. */
export type VerbReply =
  | { exit: number; stdout?: string; stderr?: string; replayed?: boolean }
  | { exec: string[]; key: string; limit: number; under?: string[]; attempt?: number; timeout_ms?: number }
  | { stdin: number }
  | { handoff: true }
  | { gone: true };

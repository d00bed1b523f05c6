@contract
Feature: When due times start, wait and are skipped

  Background:
    Given a file "long.sh":
      """
      svc wait-signal go
      """

  Rule: The overlap policy decides what happens while an earlier run has not ended

    @store
    Scenario: skip: a due time does not start while a run is open
      When I call "svc schedule set pulse '* * * * * *' long.sh --overlap skip"
      And a due time of the schedule "pulse" is skipped
      And I call "svc schedule next pulse -n 1"
      Then standard output matches "Z  skipped because of run_[0-9A-Z]+, unless that has ended by then"
      And standard error matches "last skipped: \S+Z  run_[0-9A-Z]+ had not ended"
      When 1 runs of the schedule "pulse" exist
      And I call "svc schedule show pulse"
      Then standard output matches "^overlap +skip$"
      And the schedule "pulse" is removed, and its runs are cancelled

    @store
    Scenario: queue: a due time waits for the previous run
      When I call "svc schedule set pulse '* * * * * *' long.sh --overlap queue"
      And a due time of the schedule "pulse" is waiting
      And I call "svc schedule next pulse -n 1"
      Then standard output matches "Z  waits for run_[0-9A-Z]+"
      When I look at the first run of the schedule "pulse"
      And I call "svc schedule set pulse '@yearly' long.sh --overlap queue"
      And I call "svc signal {run} go"
      And 2 runs of the schedule "pulse" exist
      Then "trigger.overlap" of the run is "queue"
      And the schedule "pulse" is removed, and its runs are cancelled

    @store
    Scenario: cancel: the previous run is cancelled
      When I call "svc schedule set pulse '* * * * * *' long.sh --overlap cancel"
      And I look at the first run of the schedule "pulse"
      Then the run is "cancelled"
      When I call "svc status {run}"
      Then standard output has "the schedule pulse is due again"
      And the schedule "pulse" is removed, and its runs are cancelled

  Rule: Jitter delays each start, always by the same amount

    Scenario: the start differs from the due time, which stays the same
      When I call "svc schedule set hourly '@hourly' long.sh --jitter 30m --deadline 2h --catch-up 3h"
      And I send "GET" to "{scoped}/schedules/hourly/next?count=1"
      Then "upcoming.0.due" of the answer matches ":00:00.000Z$"
      And "upcoming.0.starts_at" of the answer is noted as "start"
      When I send "GET" to "{scoped}/schedules/hourly/next?count=1"
      Then "upcoming.0.starts_at" of the answer is "{start}"
      When I send "GET" to "{scoped}/schedules/hourly"
      Then "jitter" of the answer is "30m"
      And "deadline" of the answer is "2h"
      And "catch_up" of the answer is "3h"

  Rule: A backfill starts each due time of a range once

    @store
    Scenario: a backfill is repeated, and each due time still starts only one run
      Given a file "quick.sh":
        """
        true
        """
      When I call "svc schedule set nightly '30 2 * * *' quick.sh --paused"
      And I call "svc schedule backfill nightly --from 2026-03-01 --to 2026-03-06"
      Then standard output is "5"
      When I call "svc schedule backfill nightly --from 2026-03-01 --to 2026-03-06"
      And 5 runs of the schedule "nightly" exist
      And the project comes to rest
      And I call "svc schedule backfill nightly --from 2026-03-01 --to 2026-03-06 --overlap allow"
      Then standard output is "0"
      And standard error has "Added 0 due times from"
      And standard error has "5 have already started or are queued"
      And no due time of the schedule "nightly" waits
      And 5 runs of the schedule "nightly" exist
      And I send "GET" to "{scoped}/events?type=schedule.tick&limit=1"
      Then "events.0.event" of the answer is noted as "tick"
      When I send "GET" to "{scoped}/events/{tick}"
      Then "payload.backfill" of the answer is "true"
      And "payload.due" of the answer is "2026-03-05T02:30:00.000Z"

    Scenario: a range that is too large, in the future or reversed is rejected
      When I call "svc schedule set pulse '* * * * * *' --paused"
      And I call "svc schedule backfill pulse --from 1h"
      Then it exits with 1
      And standard error has "backfill_too_large"
      When I call "svc schedule backfill pulse --from 2026-01-02 --to 2026-01-01"
      Then it exits with 1
      And standard error has "from must not be after the end of the range"
      When I call "svc schedule backfill pulse"
      Then it exits with 2
      And standard error has "--from"

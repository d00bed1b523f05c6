Feature: A local run that skips waiting times

  Rule: --skip-time jumps to the next due time while nothing runs

    @CLI-053
    Scenario: a sleep of a month ends immediately, and the log shows it
      Given a file "job.sh":
        """
        echo asleep
        svc sleep 30d
        svc output set slept:=true
        """
      When I call "svc run job.sh --skip-time --json" without the environment's target
      Then it exits with 0
      And standard output is JSON whose "output.slept" is "true"
      And the run took 30 days by its own times
      And standard error matches "asleep\n(.*\n)*skipped 30d, to \S+Z \(sleep\)\nasleep"

    @CLI-053
    Scenario: of two parallel sleeps, the shorter one ends first
      Given a file "long.sh":
        """
        svc sleep 20d
        svc step mark -- bash -c 'printf long, >> {folder}/order'
        """
      And a file "short.sh":
        """
        svc sleep 10d
        svc step mark -- bash -c 'sleep 1; printf short, >> {folder}/order'
        """
      And a file "ci.yml":
        """
        jobs:
          long: { workflow: ./long.sh }
          short: { workflow: ./short.sh }
        """
      When I call "svc run ci.yml --skip-time" without the environment's target
      Then it exits with 0
      And the file "order" holds "short,long,"
      And standard error matches "skipped 10d, .*\(sleep of short\)\n(.*\n)*skipped (9d 23h|10d), .*\(sleep of long\)"

    @contract
    Scenario: pauses between attempts of steps, jobs and activities are skipped
      Given a file "ci.yml":
        """
        jobs:
          step: { steps: [{ name: flaky, run: 'test -e {folder}/a || { touch {folder}/a; exit 1; }', retry: { attempts: 2, backoff: 9h } }] }
          job: { retry: { attempts: 2, backoff: 8h }, steps: [{ run: 'test -e {folder}/b || { touch {folder}/b; exit 1; }' }] }
          script: { workflow: ./verbs.sh }
        """
      And a file "verbs.sh":
        """
        svc step tried --retry 2 --backoff 7h -- bash -c 'test -e {folder}/c || { touch {folder}/c; exit 1; }'
        svc activity sent --retry 2 --backoff 6h -- bash -c 'test -e {folder}/d || { touch {folder}/d; exit 1; }'
        """
      When I call "svc run ci.yml --skip-time --json" without the environment's target
      Then it exits with 0
      And standard error has "(a pause between attempts)"

    @contract
    Scenario: pauses between attempts of graph nodes are skipped
      Given a file "graph.json":
        """
        { "version": "svc-graph/v1",
          "nodes": [
            { "id": "pause", "type": "delay", "config": { "for": "40d" } },
            { "id": "asked", "type": "wait_signal", "config": { "name": "ok", "timeout": "20d" }, "continue_on_error": true } ],
          "edges": [{ "from": "pause", "to": "asked" }] }
        """
      When I call "svc run graph.json --skip-time --json" without the environment's target
      Then it exits with 0
      And the run took 60 days by its own times
      And standard error matches "skipped 40d, .*\nskipped 20d, .*signal ok of asked"

  @contract
  Rule: Signals and events from the command line are delivered before time is skipped

    Background:
      Given a file "ask.sh":
        """
        svc wait-signal approved --timeout 30d || echo "signal: $?"
        svc wait-event paid --timeout 30d || echo "event: $?"
        """

    Scenario: waits time out if nothing answers them
      When I call "svc run ask.sh --skip-time" without the environment's target
      Then it exits with 0
      And standard output has "signal: 124"
      And standard output has "event: 124"

    Scenario: a signal and an event from the command line end the waits before their timeouts
      When I call "svc run ask.sh --skip-time --signal approved --emit paid=7" without the environment's target
      Then it exits with 0
      And standard output has "null"
      And standard output has "payload"
      And standard output lacks "124"
      And standard error lacks "skipped"

  @contract
  Rule: Running programs are not sped up

    Scenario: a sleep does not end before a program that runs in parallel
      Given a file "ci.yml":
        """
        jobs:
          busy: { steps: [{ run: sleep 2 && echo busy over >&2 }] }
          idle: { workflow: ./idle.sh }
        """
      And a file "idle.sh":
        """
        svc sleep 1s
        svc sleep 90d
        """
      When I call "svc run ci.yml --skip-time" without the environment's target
      Then it exits with 0
      And the log that it printed has "busy over\n(.*\n)*skipped (89|90)d"

    Scenario: without --skip-time, time passes normally
      Given a file "job.sh":
        """
        svc wait-signal never --timeout 2s || echo "code $?"
        """
      When I call "svc run job.sh" without the environment's target
      Then it exits with 0
      And standard error lacks "skipped"

  @contract
  Rule: Schedules tick but do not keep the command running

    Scenario: a local schedule starts the run that another run waits for
      Given a file "job.sh":
        """
        svc wait-event report
        svc sleep 3d
        """
      And a file "report.sh":
        """
        svc emit report
        """
      When I start "svc run job.sh --skip-time" as "it" with the settings:
        | SVC_LOG_LEVEL | error |
      Then "it" says "cd (\S+) && svc emit report"
      When I call "svc schedule set daily '0 3 * * *' {folder}/report.sh" in the folder "{it}"
      Then it exits with 0
      And "it" ends with 0
      And the log of "it" has "(a schedule)"

    Scenario: a run does not wait forever for ticks that change nothing
      Given a file "job.sh":
        """
        svc wait-event begin
        svc wait-event never --timeout 400d || echo "code $?"
        """
      When I start "svc run job.sh --skip-time" as "it" with the settings:
        | SVC_LOG_LEVEL | error |
      Then "it" says "cd (\S+) && svc emit begin"
      When I call "svc schedule set daily '0 3 * * *'" in the folder "{it}"
      Then it exits with 0
      And "it" says "schedule ticks did not advance the run"
      When I call "svc emit begin" in the folder "{it}"
      Then it exits with 0
      And "it" says "skipped 3\d\dd.*event never"
      And "it" says "code 124"
      And "it" ends with 0

Feature: svc lock lets only one run of a project continue at a time

  Rule: A group has one holder, and others wait without a process

    @VERB-019 @SCR-019 @SCR-055 @RUN-022 @RUN-023
    Scenario: a lock without a command is held until the run ends
      Given a gate "leave"
      When I submit the script "first.sh" as "first":
        """
        svc lock deploy
        echo in >> {folder}/first
        read -r _ < {folder}/leave
        """
      Then the file "first" soon has 1 line
      When I submit the script "second.sh" as "second":
        """
        echo "$$" >> {folder}/passes
        svc lock deploy
        svc step done -- echo through
        """
      Then the run waits for "awaiting_lease" "deploy"
      And the processes of the file "passes" are gone
      And `svc status` shows the substate "awaiting_lease" "deploy"
      When I open the gate "leave"
      Then the run succeeds
      And the file "passes" has 2 lines
      And the recorded steps are:
        | site     | kind | exit |
        | deploy#0 | lock | 0    |
        | done#0   | step | 0    |
      And the log is:
        """
        through
        """

    @SCR-055
    Scenario: a run that already holds a lease gets it again immediately
      When I submit the script "again.sh":
        """
        for i in 1 2 3; do svc lock deploy; done
        svc lock deploy -- echo inside
        """
      Then the run succeeds
      And nobody holds "deploy"
      And the log is:
        """
        inside
        """

    @VERB-019
    Scenario: other groups and other projects do not interfere
      Given a gate "leave"
      When I submit the script "holder.sh" as "holder":
        """
        svc lock deploy
        read -r _ < {folder}/leave
        """
      Then "deploy" is held by the run "holder"
      When I submit the script "other.sh" as "other":
        """
        svc lock deploy2
        svc lock "deploy "
        svc lock Deploy
        """
      Then the run succeeds
      And "deploy" is held by the run "holder"
      When I work in another project
      And I submit the script "elsewhere.sh" as "elsewhere":
        """
        svc lock deploy
        """
      Then the run succeeds
      When I open the gate "leave"

  Rule: Leases are granted in the order of the requests

    @VERB-020 @SCR-057 @store
    Scenario: five runs get the lease in order
      Given a gate "leave"
      When I submit the script "holder.sh" as "holder":
        """
        svc lock deploy
        read -r _ < {folder}/leave
        """
      Then "deploy" is held by the run "holder"
      When 5 runs ask for "deploy" one after the other and write their number into "order"
      Then the queue of "deploy" holds these 5 runs in their order
      When I open the gate "leave"
      Then all runs succeed
      And the file "order" holds the numbers from 1 to 5 in order
      And every grant had a higher fence than the one before

  @contract
  Rule: A group with a limit has several holders

    @store
    Scenario: two of three runs hold the group, and the third one waits until one of them ends
      When I submit the script "one.sh" as "one":
        """
        svc lock crawl --limit 2
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I submit the script "two.sh" as "two":
        """
        svc lock crawl --limit 2 -- sh -c 'echo two >> {folder}/log'
        svc lock crawl --limit 2
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I submit the script "three.py" as "three":
        """
        from svc_sdk import lock
        lock("crawl", ["sh", "-c", "echo three >> {folder}/log"], limit=2)
        """
      Then the run waits for "awaiting_lease" "crawl"
      When I call "svc explain {run}"
      Then standard output has "which 2 of at most 2 runs hold"
      And standard output has "It is number 1 of 1 in the queue"
      When I call "svc locks ls"
      Then standard output matches "^crawl +holds 2/2 +run_"
      When I submit the script "alone.mjs" as "alone":
        """
        import { lock } from 'svc/sdk';
        await lock('crawl', ['sh', '-c', 'echo alone >> {folder}/log']);
        """
      Then the run waits for "awaiting_lease" "crawl"
      When I look at the run "one"
      And I send the signal "go" with "null"
      Then the run succeeds
      When I look at the run "three"
      Then the run succeeds
      When I look at the run "alone"
      Then the run waits for "awaiting_lease" "crawl"
      When I look at the run "two"
      And I send the signal "go" with "null"
      Then the run succeeds
      When I look at the run "alone"
      Then the run succeeds
      And nobody holds "crawl"
      And the file "log" is:
        """
        two
        three
        alone
        """

    @store
    Scenario: a script waits for its group before it starts, and overtakes runs with a lower priority
      Given a file "grouped.sh":
        """
        svc step note -- sh -c 'echo "$1" >> {folder}/order' - "$1"
        [ "$1" != first ] || svc wait-signal go
        """
      When I submit "{folder}/grouped.sh --concurrency-group grouped -- first" with the CLI as "first"
      Then the run waits for "signal" "go"
      When I submit "{folder}/grouped.sh --concurrency-group grouped -- second" with the CLI as "second"
      Then the run is "queued"
      And "substate.kind" of the run is "awaiting_lease"
      And "substate.name" of the run is "grouped"
      When I call "svc explain {run}"
      Then standard output has "waiting for the lock grouped"
      When I submit "{folder}/grouped.sh --concurrency-group grouped --priority 3 -- third" with the CLI as "third"
      Then the run is "queued"
      And "priority" of the run is "3"
      When I call "svc explain {run}"
      Then standard output has "It is number 1 of 2 in the queue"
      When I look at the run "first"
      And I send the signal "go" with "null"
      Then the run succeeds
      When I look at the run "second"
      Then the run succeeds
      And the events of the run are:
        | type          |
        | manual        |
        | run.started   |
        | run.succeeded |
      And the file "order" is:
        """
        first
        third
        second
        """
      When I submit "{folder}/grouped.sh --concurrency-group grouped -- first" with the CLI as "holder"
      Then the run waits for "signal" "go"
      When I look at the run "second"
      And I rerun it as "again"
      Then the run is "queued"
      When I submit "{folder}/grouped.sh --concurrency-group grouped --concurrency-policy cancel-running -- last" with the CLI as "last"
      Then the run succeeds
      When I look at the run "again"
      Then the run is "cancelled"
      When I look at the run "holder"
      Then the run is "cancelled"
      And nobody holds "grouped"

    Scenario Outline: an invalid limit is rejected: <limit>
      When I submit the script "bad.sh":
        """
        svc lock crawl --limit <limit>
        """
      Then the run is "failed"
      And the log has "--limit must be a whole number from 1 to 1000"

      Examples:
        | limit |
        | 0     |
        | 1001  |
        | many  |

  @contract
  Rule: A wait for a lease can time out

    @store
    Scenario: svc lock exits with 124 and leaves the queue if the lease is not free in time
      Given a gate "leave"
      When I submit the script "holder.sh" as "holder":
        """
        svc lock deploy
        read -r _ < {folder}/leave
        """
      Then "deploy" is held by the run "holder"
      When I submit the script "hasty.sh" as "hasty":
        """
        code=0; svc lock deploy --timeout 100ms || code=$?
        echo "code $code"
        code=0; svc lock deploy --timeout 0s -- echo never || code=$?
        echo "code $code"
        """
      Then the run succeeds
      And the log has "code 124" 2 times
      And the log lacks "never"
      And the queue of "deploy" is empty
      When I open the gate "leave"
      And I look at the run "holder"
      Then the run succeeds

Feature: Inspecting runs

  Rule: A waiting run shows what it is waiting for

    @RUN-023
    Scenario: the status of a parked run shows its wait
      When I submit the script "job.sh":
        """
        svc wait-signal approved --timeout 1h
        """
      Then the run waits for "signal" "approved"
      When I call "svc status {run} --json"
      Then standard output is JSON whose "status" is "waiting"
      And standard output is JSON whose "substate.name" is "approved"
      When I call "svc status {run}"
      Then standard output has "approved"
      # @contract
      And standard output has "waiting (signal approved until "
      When I send the signal "approved" with "null"
      Then the run succeeds
      When I call "svc status {run} --json"
      Then standard output lacks "substate"

    @RUN-023
    Scenario: if several activities are parked, the status shows the latest wait
      When I run the graph:
        """
        {"nodes": [{"id": "a", "type": "wait_signal", "config": {"name": "early"}},
                   {"id": "b", "type": "wait_signal", "config": {"name": "next"}},
                   {"id": "c", "type": "wait_signal", "config": {"name": "late"}},
                   {"id": "d", "type": "wait_signal", "config": {"name": "last"}}],
         "edges": [{"from": "b", "to": "c"}, {"from": "c", "to": "d"}]}
        """
      And I send the signal "next" with "null"
      Then the run waits for "signal" "late"
      When I call "svc status {run} --json"
      Then standard output is JSON whose "substate.name" is "late"
      When I send the signal "late" with "null"
      Then the run waits for "signal" "last"
      When I send the signal "last" with "null"
      Then the run waits for "signal" "early"
      When I send the signal "early" with "null"
      Then the run succeeds

    @contract
    Scenario: after a later wait, the status shows that wait
      When I submit the script "job.sh":
        """
        svc wait-signal first
        svc wait-signal second
        """
      Then the run waits for "signal" "first"
      When I send the signal "first" with "null"
      Then the run waits for "signal" "second"
      When I call "svc status {run} --json"
      Then standard output is JSON whose "substate.name" is "second"
      When I send the signal "second" with "null"
      Then the run succeeds

  @contract
  Rule: Lists start with the newest items, and have pages and filters

    @store
    Scenario: pages contain every run exactly once
      Given 5 finished runs
      When I walk "{scoped}/runs" in pages of 2 of "runs"
      Then the pages hold "2 2 1" entries
      And together they are the runs, newest first

    @store
    Scenario: runs are filtered by status, tag and workflow
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "good.sh", "source": "true\n", "tags": ["team:a"]}
        """
      And I take the run of the answer
      Then the run succeeds
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "bad.sh", "source": "exit 3\n", "tags": ["team:b"]}
        """
      And I take the run of the answer
      Then the run fails with code "script_failed"
      When I send "GET" to "{scoped}/runs?status=failed"
      Then the answer lists 1 "runs"
      And "runs.0.workflow" of the answer is "bad.sh"
      When I send "GET" to "{scoped}/runs?tag=team:a"
      Then the answer lists 1 "runs"
      And "runs.0.workflow" of the answer is "good.sh"
      When I send "GET" to "{scoped}/runs?workflow=bad.sh"
      Then the answer lists 1 "runs"
      When I send "GET" to "{scoped}/runs?since=2999-01-01T00:00:00Z"
      Then the answer lists 0 "runs"

    Scenario Outline: a list rejects <what>
      When I send "GET" to "{scoped}/runs?<query>"
      Then the answer is 400 with code "invalid_request"

      Examples:
        | what                   | query          |
        | a status that is none  | status=lost    |
        | a page of nothing      | limit=0        |
        | a page too large       | limit=201      |
        | a cursor of nobody     | cursor=nothing |
        | a filter that is none  | colour=red     |
        | a time that is none    | since=soon     |

    @contract
    Scenario: the command line accepts several statuses, short run names and aliases of ls
      When I call "svc runs ls"
      Then standard error is "no runs"
      When I submit the script "bad.sh":
        """
        exit 3
        """
      Then the run is "failed"
      Given a file "good.sh":
        """
        echo fine
        """
      When I submit "good.sh" with the CLI as "good"
      Then the run succeeds
      When I call "svc runs list --status failed --status succeeded"
      Then standard output has "bad.sh"
      And standard output has "good.sh"
      When I call "svc runs ls --status cancelled,failed"
      Then standard output has "bad.sh"
      And standard output lacks "good.sh"
      When I call "svc runs ls --status failed,lost"
      Then it exits with 2
      And standard error has '--status is "lost"; it must be one of queued'
      When I submit the script "theirs.sh":
        """
        echo from somebody else
        """
      Then the run succeeds
      When I look at the run "good"
      And I call "svc logs @last"
      Then standard output is "fine"
      When I call "svc runs chain @last"
      Then standard output has "no causes of {run}"
      When I call "svc runs ls --trigger run:@last"
      Then standard error is "no runs"
      When I call the status of the run by the end of its id
      Then standard output has "good.sh"

@contract
Feature: Leases of untrusted runs

  Rule: Untrusted runs have separate groups

    @needs-cc @store
    Scenario: trusted and untrusted groups with the same name are separate
      Given a gate "leave"
      When I submit the script "holder.sh" as "holder":
        """
        svc lock deploy
        read -r _ < {folder}/leave
        """
      Then "deploy" is held by the run "holder"
      When a fork runs "outside.sh" as "outside":
        """
        svc lock deploy
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When a fork runs "second.sh" as "second":
        """
        svc lock deploy -- true
        """
      Then the run waits for "awaiting_lease" "deploy"
      When I call "svc explain {run}"
      Then standard output has "It is number 1 of 1 in the queue"
      When I call "svc locks ls"
      Then standard output matches "^deploy \(untrusted\) +holds +run_"
      And standard output matches "^deploy +holds +run_"
      When I send "GET" to "{scoped}/locks"
      Then the answer lists 2 "locks"
      And "locks.0.group" of the answer is "deploy"
      And "locks.0.trusted" of the answer is "false"
      And "locks.0.queue_length" of the answer is "1"
      And "locks.1.group" of the answer is "deploy"
      And "locks.1.trusted" of the answer is "true"
      And "locks.1.queue_length" of the answer is "0"
      When I open the gate "leave"
      And I look at the run "holder"
      Then the run succeeds
      When I submit the script "next.sh" as "next":
        """
        svc lock deploy -- true
        """
      Then the run succeeds
      When I look at the run "outside"
      And I send the signal "go" with "null"
      Then the run succeeds
      When I look at the run "second"
      Then the run succeeds

    @needs-cc
    Scenario: a rerun has the trust of the first run and requests the same group
      When a fork runs "outside.sh" as "outside":
        """
        svc lock deploy
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I send the signal "go" with "null"
      Then the run succeeds
      When I rerun it as "again"
      Then the run waits for "signal" "go"
      And "trusted" of the run is "false"
      When I submit the script "next.sh" as "next":
        """
        svc lock deploy -- true
        """
      Then the run succeeds
      When I cancel every run that has not ended

    @needs-cc
    Scenario: concurrency groups of untrusted pipelines are separate and do not replace trusted runs
      When I submit the pipeline as "trusted":
        """
        concurrency: { group: deploy, policy: cancel-running }
        jobs: { one: { wait_for_event: go } }
        """
      Then the run waits for "event" "go"
      When a fork runs the pipeline as "outside":
        """
        concurrency: { group: deploy, policy: cancel-running }
        jobs: { one: { wait_for_event: go } }
        """
      Then the run waits for "event" "go"
      And "trusted" of the run is "false"
      When a fork runs the pipeline as "newer":
        """
        concurrency: { group: deploy, policy: cancel-running }
        jobs: { one: { wait_for_event: go } }
        """
      Then the run waits for "event" "go"
      When I look at the run "outside"
      Then the run is "cancelled"
      When I emit "go"
      And I look at the run "newer"
      Then the run succeeds
      When I look at the run "trusted"
      Then the run succeeds

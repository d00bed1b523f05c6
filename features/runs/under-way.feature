@contract
Feature: Calls that agents are executing

  Rule: A step that an agent executes is shown before it has a record

    Scenario: a slow step is shown as running
      Given a gate "open"
      When I submit the script "slow.sh":
        """
        svc step quick -- echo done
        svc step slow --label "the slow one" -- sh -c 'read -r said < {folder}/open; echo "it took its time"'
        """
      Then the run soon shows "slow#0" as running
      When I call "svc steps {run}"
      Then it exits with 0
      And standard output matches '0 +step +quick#0 +exit 0'
      And standard output matches '1 +step +slow#0 \(the slow one\) +running for [0-9]+ ?m?s on '
      When I call "svc steps {run} --json"
      Then standard output is JSON whose "steps.1.status" is "running"
      And standard output is JSON with "steps.1.running.since"
      And standard output is JSON with "steps.1.running.agent"
      When I call "svc status {run}"
      Then standard output matches 'now +slow#0 \(the slow one\) running for [0-9]+ ?m?s on '
      When I call "svc status {run} --json"
      Then standard output is JSON whose "running.0.site" is "slow#0"
      When I call "svc explain {run}"
      Then standard output matches 'Now: step slow#0 running for [0-9]+ ?m?s on '
      When I open the gate "open"
      Then the run succeeds
      And the recorded steps are:
        | site    | kind | exit | stdout             |
        | quick#0 | step | 0    | done\n             |
        | slow#0  | step | 0    | it took its time\n |
      When I call "svc steps {run} --json"
      Then standard output lacks "running"
      When I call "svc status {run}"
      Then standard output lacks "running for"

    Scenario: a slow SDK function is shown as running
      Given a gate "open"
      When I submit the script "slow.ts":
        """
        import { readFileSync } from 'node:fs';
        import { step } from 'svc/sdk';
        await step('read', async () => (await import('node:fs/promises')).readFile('{folder}/open', 'utf8'));
        """
      Then the run soon shows "read#0" as running
      When I open the gate "open"
      Then the run succeeds

    Scenario: the current attempt of a running step or child is shown
      Given a gate "step"
      And a gate "child"
      When I submit the script "tried.sh":
        """
        svc step tried --retry 3 -- sh -c 'test "$ATTEMPT" -gt 1 || exit 7; read -r _ < {folder}/step || true'
        svc activity far --retry 4 -- sh -c 'test "$ATTEMPT" -gt 1 || exit 7; read -r _ < {folder}/child || true'
        """
      Then the run soon shows "tried#0" as running
      When I call "svc steps {run}"
      Then standard output matches 'tried#0 +running for .* on .*, attempt 2 of 3'
      When I call "svc explain {run}"
      Then standard output matches 'step tried#0 running for .*, attempt 2 of 3'
      When I open the gate "step"
      Then the run soon shows the child of "far#0" as running
      When I call "svc steps {run}"
      Then standard output matches 'far#0 +waiting, child running for .* on .*, attempt 2 of 4'
      When I call "svc status {run}"
      Then standard output matches 'now +far#0 running for .*, attempt 2 of 4'
      When I call "svc explain {run}"
      Then standard output matches 'Its child far is running for .*, attempt 2 of 4'
      When I open the gate "child"
      Then the run succeeds

    Scenario: a running step of a job is shown
      Given a gate "open"
      When I submit the pipeline:
        """
        jobs:
          build:
            steps:
              - run: echo prepared
              - name: compile
                retry: { attempts: 2 }
                run: read -r _ < {folder}/open || true
        """
      Then the node "build" soon shows "compile#0" as running
      When I call "svc steps {run}"
      Then standard output matches 'build +pipeline_job +running .*compile#0 running for .* on .*, attempt 1 of 2'
      When I call "svc status {run}"
      Then standard output matches 'now +build: compile#0 running for '
      When I call "svc explain {run}"
      Then standard output matches 'The node build has been running .* Now: step compile#0 running for '
      When I open the gate "open"
      Then the run succeeds

  Rule: Secrets are not shown

    Scenario: a secret in a step's name is masked
      Given the secret "TOKEN" is:
        """
        hush-hush-4711
        """
      And a gate "open"
      When I submit the script "names.sh":
        """
        svc step "login $TOKEN" --label "with $TOKEN" -- sh -c 'read -r _ < {folder}/open || true'
        """
      Then the run soon shows "login ***#0" as running
      And the steps lack "hush-hush"
      And "running" of the run lacks "hush-hush"
      When I open the gate "open"
      Then the run succeeds

  Rule: Calls that no agent executes are not shown

    @own-agent
    Scenario: a step is shown again after its agent was killed and another agent began it
      Given a gate "open"
      And 1 agents of its own
      When I submit the script "killed.sh" to that agent:
        """
        echo "$SVC_AGENT_PID" >> {folder}/pass
        svc step slow -- sh -c 'read -r _ < {folder}/open || true'
        """
      Then the run soon shows "slow#0" as running
      When I kill the agent whose process is in the file "pass"
      Then the run soon shows nothing as running
      Given 1 agents of its own
      Then the run soon shows "slow#0" as running
      And the file "pass" has 2 lines
      When I open the gate "open"
      Then the run succeeds

    Scenario: a cancelled run shows no running calls
      Given a gate "open"
      When I submit the script "cancelled.sh":
        """
        svc step slow -- sh -c 'read -r _ < {folder}/open || true'
        """
      Then the run soon shows "slow#0" as running
      When I cancel the run because "it takes too long"
      Then the run soon shows nothing as running
      And 0 steps are recorded

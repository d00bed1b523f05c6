Feature: Concurrency groups of pipelines

  Rule: Only one run at a time is in a group, in order of arrival

    @RUN-021 @SUBJ-013 @store
    Scenario: a queued run starts when it gets the lease
      When I submit the pipeline with '{"input": {"ref": "main"}}':
        """
        name: first
        concurrency: { group: "deploy-${{ input.ref }}" }
        jobs: { hold: { wait_for_event: go } }
        """
      Then the run waits for "event" "go"
      And "deploy-main" is held by the run "it"
      When I submit the pipeline with '{"input": {"ref": "main"}}':
        """
        name: second
        concurrency: "deploy-${{ input.ref }}"
        jobs: { say: { steps: [{ run: echo "it is my turn" }] } }
        """
      Then the run is "queued"
      And "substate.kind" of the run is "awaiting_lease"
      And "substate.name" of the run is "deploy-main"
      And the events of the run are:
        | type   |
        | manual |
      When I submit the pipeline with '{"input": {"ref": "other"}}':
        """
        concurrency: "deploy-${{ input.ref }}"
        jobs: { say: { steps: [{ run: "true" }] } }
        """
      Then the run succeeds
      When I emit "go"
      And I look at the pipeline "second"
      Then the run succeeds
      And the log has "it is my turn"
      And the events of the run are:
        | type          |
        | manual        |
        | run.started   |
        | run.succeeded |
      And nobody holds "deploy-main"

    @contract
    Scenario: users see which jobs wait for the group, but not how leases are acquired
      When I submit the pipeline:
        """
        name: holder
        jobs: { hold: { concurrency: prod, wait_for_event: go } }
        """
      Then the run waits for "event" "go"
      When I submit the pipeline:
        """
        name: second
        jobs:
          build: { strategy: { matrix: { node: ["20", 22] } }, steps: [{ run: "echo on ${{ matrix.node }}" }] }
          ship: { needs: build, concurrency: prod, steps: [{ run: "true" }] }
        """
      Then the run waits for "awaiting_lease" "prod"
      When I call "svc steps {run}"
      Then standard output matches "ship +pipeline_job +running +.*waits for lock prod"
      And standard output lacks "svc-"
      When I call "svc explain {run}"
      Then standard output has "The node ship has been waiting for the lock prod"
      And standard output lacks "svc-"
      When I call "svc steps {run} --node build"
      Then standard output matches "build .node=20. +pipeline_job"
      And standard output matches "build .node=22. +pipeline_job"
      When I call "svc logs {run}"
      Then standard output has "build (node=20) | on 20"
      When I call "svc steps {run} --json --node build"
      Then standard output is JSON whose "steps.0.node" is "build"
      When I emit "go"
      Then the run succeeds
      When I call "svc steps {run}"
      Then standard output matches "ship +pipeline_job +succeeded"
      And standard output lacks "svc-"

    @contract
    Scenario: a key without a value fails the run, and the error shows the group
      When I submit the pipeline:
        """
        concurrency: { group: deploy, key: input.region }
        jobs: { say: { steps: [{ run: "true" }] } }
        """
      Then the run fails and its error has "the concurrency group of the run: "
      When I call "svc explain {run}"
      Then standard output has "no such field"
      And standard output lacks "svc-"

    @contract @store
    Scenario: a throttle lets a limited number of runs start in a period, and the others wait
      When I submit the pipeline as "first":
        """
        concurrency: { group: crawl, throttle: { limit: 1, period: 1h } }
        jobs: { say: { steps: [{ run: "true" }] } }
        """
      Then the run succeeds
      When I submit the pipeline as "second":
        """
        concurrency: { group: crawl, throttle: { limit: 1, period: 1h } }
        jobs: { say: { steps: [{ run: "true" }] } }
        """
      Then the run is "queued"
      And "substate.name" of the run is "crawl"
      When I call "svc explain {run}"
      Then standard output has "the group crawl, which starts at most 1 run in 1h"
      And standard output has "It is number 1 of 1 in the queue"
      When I call "svc locks ls"
      Then standard output has "1 in 1h"
      When I cancel the run because "seen"
      Then the run is "cancelled"

    @contract
    Scenario: scripts, jobs and graphs share the throttle of their group
      Given a file "say.sh":
        """
        echo said
        """
      When I submit "say.sh --concurrency-group crawl --concurrency-throttle 1/1h" with the CLI as "script"
      Then the run succeeds
      When I submit the pipeline as "job":
        """
        jobs:
          say: { concurrency: { group: crawl, throttle: { limit: 1, period: 1h } }, steps: [{ run: "true" }] }
        """
      Then the run waits for "awaiting_lease" "crawl"
      When I cancel the run because "seen"
      Then the run is "cancelled"
      When I run the graph:
        """
        {"concurrency": {"group": "crawl", "throttle": {"limit": 1, "period": "1h"}},
         "nodes": [{"id": "say", "type": "set", "config": {"values": {"said": true}}}]}
        """
      Then the run is "queued"
      And "substate.name" of the run is "crawl"
      When I cancel the run because "seen"
      Then the run is "cancelled"
      When I call "svc submit say.sh --concurrency-group crawl --concurrency-throttle ten"
      Then it exits with 2
      And standard error has "write it like --concurrency-throttle 10/1m"
      When I call "svc submit say.sh --concurrency-group crawl --concurrency-throttle 1/9d"
      Then it exits with 1
      And standard error has "/concurrency/throttle/period"

    @SCR-056
    Scenario: a concurrency group uses the same lease as svc lock
      Given a gate "end"
      When I submit the script "lock.sh" as "script":
        """
        svc lock site -- sh -c 'echo script > {folder}/log; read _ < {folder}/end'
        """
      Then "site" is held by the run "script"
      When I submit the pipeline as "pipeline":
        """
        jobs:
          deploy: { concurrency: { group: site }, steps: [{ run: "echo pipeline >> {folder}/log" }] }
        """
      Then the run waits for "awaiting_lease" "site"
      When I open the gate "end"
      Then the run succeeds
      And the file "log" is:
        """
        script
        pipeline
        """

    @contract
    Scenario: a job releases its lease when the job ends, not when the run ends
      When I submit the pipeline as "one":
        """
        jobs:
          deploy: { concurrency: site, continue_on_error: true, steps: [{ run: exit 1 }] }
          stay: { needs: deploy, wait_for_event: go }
        """
      Then the run waits for "event" "go"
      And nobody holds "site"
      When I cancel the run because "seen"
      Then the run is "cancelled"

    @contract @store
    Scenario: jobs of one run take turns
      When I submit the pipeline:
        """
        jobs:
          left: { concurrency: site, steps: [{ run: "mkdir {folder}/busy; sleep 0.1; rmdir {folder}/busy" }] }
          right: { concurrency: site, steps: [{ run: "mkdir {folder}/busy; sleep 0.1; rmdir {folder}/busy" }] }
        """
      Then the run succeeds

  Rule: Cancel-running replaces earlier runs in the group

    @SUBJ-014 @store
    Scenario: the running run and the waiting run are cancelled
      When I submit the pipeline as "first":
        """
        concurrency: { group: main, policy: cancel-running }
        jobs: { work: { steps: [{ run: "echo $$ > {folder}/pid; sleep 600" }] } }
        """
      Then "main" is held by the run "first"
      When I submit the pipeline as "second":
        """
        concurrency: { group: main }
        jobs: { work: { steps: [{ run: echo SECOND }] } }
        """
      Then the run is "queued"
      When I submit the pipeline as "third":
        """
        concurrency: { group: main, policy: cancel-running }
        jobs: { work: { steps: [{ run: echo third }] } }
        """
      Then the run succeeds
      And the run id of "third" is noted as "third"
      When I look at the run "first"
      Then the run is "cancelled"
      # @contract
      And "reason" of the run matches "superseded by the run {third} in the concurrency group main"
      When I look at the run "second"
      Then the run is "cancelled"
      And the run has no "started_at"

  @contract
  Rule: A group can have a limit and a key

    @store
    Scenario: the limit applies to each value of the key, and a new run can cancel waiting runs
      Given a file "keyed.yml":
        """
        concurrency: { group: sites, key: input.region, limit: 2, policy: cancel-pending }
        jobs: { hold: { wait_for_event: go } }
        """
      When I submit "{folder}/keyed.yml --input region=eu" with the CLI as "one"
      Then the run waits for "event" "go"
      When I submit "{folder}/keyed.yml --input region=eu" with the CLI as "two"
      Then the run waits for "event" "go"
      When I submit "{folder}/keyed.yml --input region=eu" with the CLI as "three"
      Then the run is "queued"
      And "substate.name" of the run is "sites/eu"
      When I call "svc explain {run}"
      Then standard output has "waiting for the lock sites/eu, which 2 of at most 2 runs hold"
      When I submit "{folder}/keyed.yml --input region=us" with the CLI as "abroad"
      Then the run waits for "event" "go"
      When I submit "{folder}/keyed.yml --input region=eu" with the CLI as "four"
      And I look at the run "three"
      Then the run is "cancelled"
      And "reason" of the run matches "superseded by the run run_.* in the concurrency group sites/eu"
      When I look at the run "one"
      Then the run waits for "event" "go"
      When I look at the run "four"
      Then the run is "queued"
      When I emit "go"
      Then the run waits for "event" "go"
      When I emit "go"
      Then the run succeeds
      And nobody holds "sites/eu"

  @contract
  Rule: A rerun acquires the leases again

    Scenario: a rerun from a middle job and a complete rerun both acquire the lease
      Given a file "group.yml":
        """
        concurrency: site
        jobs:
          build: { steps: [{ run: "echo build >> {folder}/log" }] }
          deploy: { needs: build, concurrency: machine, steps: [{ run: "echo deploy >> {folder}/log" }] }
          ship: { needs: deploy, concurrency: machine, steps: [{ run: "echo ship >> {folder}/log" }] }
        """
      And I submit "{folder}/group.yml" with the CLI as "first"
      Then the run succeeds
      When I submit the pipeline as "other":
        """
        concurrency: site
        jobs: { hold: { wait_for_event: go } }
        """
      Then "site" is held by the run "other"
      When I look at the run "first"
      And I rerun it from "ship" as "again"
      Then the run is "queued"
      And "substate.kind" of the run is "awaiting_lease"
      When I look at the run "first"
      And I rerun it as "anew"
      Then the run is "queued"
      When I emit "go"
      And I look at the run "again"
      Then the run succeeds
      When I look at the run "anew"
      Then the run succeeds
      And the file "log" is:
        """
        build
        deploy
        ship
        ship
        build
        deploy
        ship
        """
      And nobody holds "site"
      And nobody holds "machine"

  @contract
  Rule: An invalid group is rejected

    Scenario Outline: a concurrency group is rejected: <what>
      When I check the pipeline:
        """
        <text>
        """
      Then it has the problem "<part>" at "<place>"

      Examples:
        | what                       | text                                                                             | part                | place |
        | another policy             | {concurrency: {group: a, policy: cancel}, jobs: {a: {steps: [{run: x}]}}}        | must be one of      | 1:34  |
        | a limit of none            | {concurrency: {group: a, limit: 0}, jobs: {a: {steps: [{run: x}]}}}              | must be at least 1  | 1:33  |
        | a key with unknown names   | {concurrency: {group: a, key: inputs.x}, jobs: {a: {steps: [{run: x}]}}}         | unknown name        | 1:31  |
        | a combination of a matrix  | {jobs: {a: {concurrency: 'g-${{ matrix.x }}', steps: [{run: x}]}}}               | unknown name        | 1:33  |
        | a name of the service's    | {jobs: {svc-lease: {steps: [{run: x}]}}}                                         | cannot begin with   | 1:9   |

    Scenario: a group without a name fails the run
      When I submit the pipeline:
        """
        concurrency: "${{ input == null ? '' : 'x' }}"
        jobs: { work: { steps: [{ run: "true" }] } }
        """
      Then the run fails with code "invalid_request"

Feature: Pipelines survive the loss of their agents

  Rule: If an agent dies, only its job is repeated

    @own-agent @EVT-033 @store
    Scenario: the agent is killed during the second of three jobs
      Given 2 agents of its own
      And a gate "kill"
      When I submit the pipeline with '{"requires": ["{project}"]}':
        """
        jobs:
          first: { steps: [{ run: echo first >> {folder}/ran }] }
          second:
            needs: first
            steps:
              - run: echo begin >> {folder}/ran
              - run: |
                  if mkdir {folder}/once; then
                    echo "$SVC_AGENT_PID" > {folder}/pid; read _ < {folder}/kill; sleep 600
                  fi
          third: { needs: second, steps: [{ run: echo third >> {folder}/ran }] }
        """
      And I open the gate "kill"
      And I kill the agent whose process is in the file "pid"
      Then the run succeeds
      And the file "ran" is:
        """
        first
        begin
        begin
        third
        """

  @contract
  Rule: An agent that has lost its claim can no longer write anything

    @own-server @configured @store
    Scenario: a suspended agent continues after another agent has completed its job
      Given a server and an agent of their own with:
        | SVC_LEASE_MS | 3000 |
      And a gate "still"
      When I submit the pipeline:
        """
        jobs:
          one:
            steps:
              - id: work
                run: |
                  if mkdir {folder}/once; then
                    echo $$ > {folder}/step; echo "$SVC_AGENT_PID" > {folder}/pid; read _ < {folder}/still
                    svc emit told.late && svc output set by=old; echo "line of the old claim"; sleep 600
                  fi
                  svc output set by=new
            outputs: { by: "${{ steps.work.output.by }}" }
        outputs: { by: "${{ jobs.one.outputs.by }}" }
        """
      Then the file "pid" soon has 1 line
      When the agent whose process is in the file "pid" stands still
      And I open the gate "still"
      And an agent "other" starts in the folder "elsewhere"
      Then the run succeeds
      When the agent whose process is in the file "pid" goes on
      Then the processes of the file "step" are gone
      And "output" of the run is '{"by":"new"}'
      And the log lacks "line of the old claim"
      When I send "GET" to "{scoped}/events"
      Then the answer lacks "told.late"

  @contract
  Rule: When a job ends, all its processes end, even if they ignore signals

    Scenario: descendants that ignore SIGTERM are killed after a timeout and after a cancellation
      When I submit the pipeline:
        """
        jobs:
          slow:
            timeout: 2s
            steps: [{ run: "bash -c 'trap \"\" TERM; echo $$ > {folder}/slow; while :; do sleep 1; done' & wait" }]
        """
      Then the run is "failed"
      When I submit the pipeline:
        """
        jobs:
          held:
            steps: [{ run: "bash -c 'trap \"\" TERM; echo $$ > {folder}/held; while :; do sleep 1; done' & wait" }]
        """
      Then the file "held" soon has 1 line
      When I cancel the run because "enough"
      Then the processes of the file "slow" are gone
      And the processes of the file "held" are gone

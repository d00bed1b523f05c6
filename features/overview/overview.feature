Feature: What the service does

  Rule: A run belongs to a project, and a project to an org

    @OVW-006 @OVW-007
    Scenario: a run is found only in the project that it was submitted to
      Given another project noted as "other"
      When I submit the script "job.sh":
        """
        echo here
        """
      Then the run succeeds
      When I send "GET" to "/api/v1/orgs/{org}/projects/{project}/runs/{run}"
      Then the answer is 200
      When I send "GET" to "/api/v1/orgs/{org}/projects/{other}/runs/{run}"
      Then the answer is 404 with code "not_found"

    @OVW-008 @store
    Scenario: projects with the same name in two orgs are different projects
      Given another org noted as "rival"
      When I send "PUT" to "/api/v1/orgs/{rival}/projects/{project}" with:
        """
        {}
        """
      Then the answer is 201
      When I submit the script "job.sh":
        """
        echo here
        """
      Then the run succeeds
      When I send "GET" to "/api/v1/orgs/{rival}/projects/{project}/runs"
      Then "runs" of the answer is "[]"
      When I send "GET" to "/api/v1/orgs/{rival}/projects/{project}/runs/{run}"
      Then the answer is 404 with code "not_found"

    @OVW-006 @OVW-008
    Scenario: a project's jobs get only the secrets of that project
      Given another project noted as "other"
      And the secret "OWN" is "value-of-this-project"
      When I send "PUT" to "/api/v1/orgs/{org}/projects/{other}/secrets/FOREIGN" with:
        """
        {"value": "value-of-the-other"}
        """
      Then the answer is 201
      When I submit the script "job.sh":
        """
        test "$OWN" = value-of-this-project
        test -z "${FOREIGN-}"
        """
      Then the run succeeds

  Rule: A program in any language becomes durable through the verbs it calls

    @OVW-027 @OVW-028 @OVW-029
    Scenario: after a wait, the program starts from the top and gets its recorded results
      When I submit the script "job.sh":
        """
        echo pass >>{folder}/passes
        got=$(svc step fetch -- bash -c 'echo work >>{folder}/work; echo fetched')
        svc wait-signal go
        echo "$got"
        """
      Then the run waits for "signal" "go"
      And the file "passes" has 1 line
      When I send the signal "go" with "null"
      Then the run succeeds
      And the file "passes" has 2 lines
      And the file "work" has 1 line
      And the log has "fetched" 1 time

  Rule: Agents run the work

    @own-server @OVW-013
    Scenario: without an agent a run stays queued until an agent connects
      When every agent is stopped
      And I submit the script "job.sh":
        """
        pwd >{folder}/done
        """
      And I send "GET" to "{scoped}/runs/{run}"
      Then "status" of the answer is "queued"
      When an agent "late" starts in the folder "workplace"
      Then the run succeeds
      And the file "done" has "/workplace"

    @own-agent @OVW-013
    Scenario: a run that no agent can claim stays queued until an agent that can claim it connects
      When I submit the script "job.sh" to those agents:
        """
        pwd >{folder}/done
        """
      And I submit the script "other.sh" as "other":
        """
        true
        """
      Then the run succeeds
      When I look at the run "it"
      And I send "GET" to "{scoped}/runs/{run}"
      Then "status" of the answer is "queued"
      When an agent "late" with the capability "{project}" starts in the folder "workplace"
      Then the run succeeds
      And the file "done" has "/workplace"

  Rule: One program and one HTTP API operate the service

    @OVW-002 @OVW-030 @OVW-031
    Scenario: a run submitted with the CLI appears in the API, and vice versa
      Given a file "job.sh":
        """
        svc output set by=hand
        """
      When I submit "job.sh" with the CLI as "it"
      Then the run succeeds
      When I send "GET" to "/api/v1/orgs/{org}/projects/{project}/runs/{run}"
      Then "output.by" of the answer is "hand"
      When I submit the script "other.sh":
        """
        svc output set by=wire
        """
      Then the run succeeds
      When I call "svc status {run} --json"
      Then standard output is JSON whose "output.by" is "wire"
      When I call "svc --help"
      Then standard output has "svc"
      # @contract
      And standard output has "svc: durable workflows"

  Rule: Names that contain the product's name use svc

    @OVW-003
    Scenario: formats, variables and problem types contain the name svc
      When I send "PUT" to "{scoped}/graphs/named" with:
        """
        {"version": "svc-graph/v1", "nodes": [{"id": "a", "type": "set", "config": {"values": {"n": 1}}}], "edges": []}
        """
      Then the answer is 201
      When I send "PUT" to "{scoped}/graphs/named" with:
        """
        {"version": "graph/v1", "nodes": [{"id": "a", "type": "set", "config": {"values": {"n": 1}}}], "edges": []}
        """
      Then the answer is 422 with code "workflow_invalid"
      And the answer names the faults "/version"
      # @contract
      And the answer has "urn:svc:problem:workflow_invalid"
      When I submit the script "job.sh":
        """
        svc output set run="$SVC_WORKFLOW_ID"
        """
      Then the run succeeds
      And "output" of the run is '{"run":"{run}"}'

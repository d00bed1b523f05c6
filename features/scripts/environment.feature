Feature: A script sees only its own variables

  Rule: The service sets variables that describe the run

    @SCR-032 @SCR-033 @SCR-034 @SCR-035 @SCR-036 @SCR-037 @SCR-038
    Scenario: a script has the variables of the service
      When I submit the script "where.sh":
        """
        [ -S "$SVC_AGENT_SOCKET" ] && svc output set socket=yes
        [ -r "$SVC_INPUT_FILE" ] && svc output set input=yes
        [ "$(command -v svc)" = "${PATH%%:*}/svc" ] && svc output set first=svc
        svc output set run="$SVC_WORKFLOW_ID" activity="$SVC_ACTIVITY_ID" agent="$SVC_AGENT_ID" pid:="$SVC_AGENT_PID"
        svc step work -- true
        """
      Then the run succeeds
      And "output.socket" of the run is "yes"
      And "output.input" of the run is "yes"
      And "output.run" of the run is "{run}"
      And "output.first" of the run is "svc"
      And "output.agent" and "output.pid" of the run are the id and the process of an agent that is online
      When I send "GET" to "{scoped}/runs/{run}/steps"
      And "steps.0.activity_id" of the answer is noted as "activity"
      Then "output.activity" of the run is "{activity}"

  Rule: A workflow can set variables

    @SCR-040
    Scenario: the workflow's variables reach the script and its steps and override the agent's
      When I submit the script "env.sh" with the options '{"env": {"STAGE": "two words", "TZ": "Asia/Tokyo"}}':
        """
        echo "$STAGE, $TZ"
        svc step body -- sh -c 'echo "$STAGE in the step"'
        """
      Then the run succeeds
      And the log is:
        """
        two words, Asia/Tokyo
        two words in the step
        """

    @SCR-041
    Scenario: a workflow cannot set the service's variables
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "x.sh", "source": "true", "env": {"SVC_AGENT_ID": "mine"}}
        """
      Then the answer is 400 with code "invalid_request"
      # @contract
      And "errors.0.pointer" of the answer is "/env/SVC_AGENT_ID"

    @SCR-041
    Scenario: a workflow's PATH does not hide the verb client
      When I submit the script "path.sh" with the options '{"env": {"PATH": "/nowhere"}}':
        """
        svc step work -- true
        """
      Then the run succeeds
      And 1 step is recorded

Feature: a script sees the variables it is meant to see, and no others

  Rule: the service tells a script where it is

    @SCR-032 @SCR-033 @SCR-034 @SCR-035 @SCR-036 @SCR-037 @SCR-038
    Scenario: what the service sets
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

  Rule: of the agent's own environment a fixed list is handed on

    @own-agent @SCR-042 @SCR-043 @SCR-044 @SCR-045 @SCR-041
    Scenario: the list arrives, all else stays with the agent
      Given an agent of its own with the environment:
        | HOME              | {folder}             |
        | USER              | ann                  |
        | LOGNAME           | ann-logs             |
        | SHELL             | /bin/sh              |
        | TERM              | vt100                |
        | LANG              | C.UTF-8              |
        | LANGUAGE          | en                   |
        | LC_ALL            | C.UTF-8              |
        | LC_TIME           | C                    |
        | TZ                | UTC                  |
        | TMPDIR            | {folder}             |
        | SSL_CERT_FILE     | {folder}/file.pem    |
        | SSL_CERT_DIR      | {folder}/certs       |
        | NIX_SSL_CERT_FILE | {folder}/nix.pem     |
        | PLANTED_SECRET    | must not arrive      |
        | NODE_ENV          | must not arrive      |
        | LCX               | must not arrive      |
        | CI_TRIGGER_SHA    | must not arrive      |
        | SVC_PLANTED       | must not arrive      |
        | SVC_WORKFLOW_ID   | must not arrive      |
      When I submit the script "names.js" to that agent:
        """
        for (const name of Object.keys(process.env).sort()) console.log(name);
        require('node:fs').writeFileSync('{folder}/values', Object.entries(process.env)
          .filter(([name]) => !/^(SVC_AGENT|SVC_ACTIVITY|SVC_INPUT|PATH)/.test(name))
          .map(([name, value]) => `${name}=${value}\n`).sort().join(''));
        """
      Then the run succeeds
      And the log is:
        """
        CI_TRIGGER_EVENT
        HOME
        LANG
        LANGUAGE
        LC_ALL
        LC_TIME
        LOGNAME
        NIX_SSL_CERT_FILE
        PATH
        SHELL
        SSL_CERT_DIR
        SSL_CERT_FILE
        SVC_ACTIVITY_ID
        SVC_AGENT_ID
        SVC_AGENT_PID
        SVC_AGENT_SOCKET
        SVC_INPUT_FILE
        SVC_WORKFLOW_ID
        TERM
        TMPDIR
        TZ
        USER
        """
      And the file "values" is:
        """
        CI_TRIGGER_EVENT=manual
        HOME={folder}
        LANG=C.UTF-8
        LANGUAGE=en
        LC_ALL=C.UTF-8
        LC_TIME=C
        LOGNAME=ann-logs
        NIX_SSL_CERT_FILE={folder}/nix.pem
        SHELL=/bin/sh
        SSL_CERT_DIR={folder}/certs
        SSL_CERT_FILE={folder}/file.pem
        SVC_WORKFLOW_ID={run}
        TERM=vt100
        TMPDIR={folder}
        TZ=UTC
        USER=ann
        """

  Rule: the workflow has variables of its own

    @SCR-040
    Scenario: they reach the script and its steps, over what the agent hands on
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
    Scenario: a workflow cannot name the variables of the service
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "x.sh", "source": "true", "env": {"SVC_AGENT_ID": "mine"}}
        """
      Then the answer is 400 with code "invalid_request"
      And "errors.0.pointer" of the answer is "/env/SVC_AGENT_ID"

    @SCR-041
    Scenario: a path of the workflow does not hide the program that makes the calls
      When I submit the script "path.sh" with the options '{"env": {"PATH": "/nowhere"}}':
        """
        svc step work -- true
        """
      Then the run succeeds
      And 1 step is recorded

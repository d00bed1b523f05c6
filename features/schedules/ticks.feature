Feature: What happens when a schedule is due

  Rule: A tick is an event on the bus

    @EVT-026 @EVT-045 @EVT-056 @EVT-057 @store
    Scenario: the tick contains its schedule and its due time
      Given the schedule "pulse" is '{"cron": "* * * * * *"}'
      When the schedule "pulse" has ticked and is removed
      Then "type" of the tick is "schedule.tick"
      And "source" of the tick is "schedule"
      And "trusted" of the tick is "true"
      And "payload.schedule" of the tick is "pulse"
      And "payload.due" of the tick is "{due}"
      And "payload.cron" of the tick is "* * * * * *"

    @contract
    Scenario: the tick's key is the schedule's subject
      Given the schedule "pulse" is '{"cron": "* * * * * *", "subject": "heart"}'
      When the schedule "pulse" has ticked and is removed
      Then "key" of the tick is "heart"

  Rule: A tick starts its schedule's workflow

    @SCR-049
    Scenario: the input file contains the schedule, the event and the input
      Given the schedule "pulse" of every second runs "job.js":
        """
        const text = require('node:fs').readFileSync(process.env.SVC_INPUT_FILE, 'utf8');
        const { type, schedule, event, key, payload, input } = JSON.parse(text);
        console.log(JSON.stringify({ type, schedule, event, key, due: payload.due, input }));
        """
      When the schedule "pulse" has ticked and is removed
      Then the run succeeds
      And the log is:
        """
        {"type":"schedule.tick","schedule":"pulse","event":"{event}","key":"pulse","due":"{due}","input":{"from":"the schedule"}}
        """
      And "trigger.type" of the run is "schedule.tick"
      And "trigger.schedule" of the run is "pulse"
      And "subject" of the run is "pulse"
      And each tick of the project has one run of its own

    @contract
    Scenario: `svc input` prints the schedule's input
      Given the schedule "pulse" of every second runs "job.sh":
        """
        svc input from
        """
      When the schedule "pulse" has ticked and is removed
      Then the run succeeds
      And the log is:
        """
        the schedule
        """

    @contract
    Scenario: the environment contains the schedule and the event
      Given the schedule "pulse" of every second runs "job.sh":
        """
        echo "$CI_TRIGGER_EVENT $CI_TRIGGER_EVENT_ID $CI_TRIGGER_SCHEDULE"
        """
      When the schedule "pulse" has ticked and is removed
      Then the run succeeds
      And the log is:
        """
        schedule.tick {event} pulse
        """

  Rule: Handlers receive a tick like any other event

    @HAND-037
    Scenario: a handler's script has the schedule in its environment
      When I send "PUT" to "{scoped}/handlers/watch" with:
        """
        {
          "on": ["schedule.*"],
          "when": "event.schedule == 'pulse' && event.payload.schedule == 'pulse'",
          "source": "echo $CI_TRIGGER_EVENT $CI_TRIGGER_SCHEDULE"
        }
        """
      Then the answer is 201
      Given the schedule "pulse" is '{"cron": "* * * * * *"}'
      When the schedule "pulse" has ticked and is removed
      And I look at the run that the tick started by the handler "watch"
      Then the run succeeds
      And the log is:
        """
        schedule.tick pulse
        """

  @contract
  Rule: Each tick starts exactly one run, even if servers die

    @own-server @store
    Scenario: after a server is killed, every tick still starts exactly one run
      Given the schedule "pulse" of every second runs "job.sh":
        """
        true
        """
      When the server is killed
      And the server is started again
      And the schedule "pulse" has ticked and is removed
      Then each tick of the project has one run of its own

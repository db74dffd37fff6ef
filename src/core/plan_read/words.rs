//! The words people write, in the languages people write plans in. Compared after folding: case, accents, full-width forms and
//! invisible marks do not matter, and a space stands for a space, a hyphen or an underscore.

use unicode_normalization::char::decompose_compatible;

use crate::core::plan::Status;

/// Words of a status. The longest that fits counts.
const STATUS: &[(Status, &[&str])] = &[
    (
        Status::Complete,
        &[
            "complete",
            "completed",
            "done",
            "finished",
            "verified",
            "shipped",
            "完成",
            "已完成",
            "完了",
            "完成了",
            "completado",
            "completada",
            "completo",
            "completa",
            "terminado",
            "terminada",
            "hecho",
            "hecha",
            "concluído",
            "concluída",
            "concluido",
            "feito",
            "feita",
            "abgeschlossen",
            "fertig",
            "erledigt",
            "terminé",
            "terminée",
            "achevé",
            "fini",
            "fait",
            "completato",
            "completata",
            "fatto",
            "завершено",
            "готово",
            "выполнено",
            "완료",
            "완료됨",
            "مكتمل",
            "مكتملة",
            "اكتمل",
            "تم",
        ],
    ),
    (
        Status::InProgress,
        &[
            "in progress",
            "inprogress",
            "wip",
            "ongoing",
            "active",
            "started",
            "doing",
            "underway",
            "进行中",
            "進行中",
            "正在进行",
            "处理中",
            "開始",
            "実施中",
            "作業中",
            "en progreso",
            "en curso",
            "en proceso",
            "em andamento",
            "em progresso",
            "em curso",
            "in arbeit",
            "in bearbeitung",
            "laufend",
            "läuft",
            "en cours",
            "in corso",
            "в процессе",
            "в работе",
            "진행 중",
            "진행중",
            "قيد التنفيذ",
            "جاري",
            "جارية",
            "جاري العمل",
        ],
    ),
    (
        Status::Pending,
        &[
            "pending",
            "planned",
            "todo",
            "to do",
            "not started",
            "open",
            "queued",
            "ready",
            "upcoming",
            "未开始",
            "未開始",
            "待办",
            "待辦",
            "待开始",
            "待開始",
            "待处理",
            "待處理",
            "计划中",
            "計劃中",
            "未着手",
            "予定",
            "pendiente",
            "por hacer",
            "sin empezar",
            "planificado",
            "planificada",
            "pendente",
            "a fazer",
            "planejado",
            "não iniciado",
            "não iniciada",
            "offen",
            "ausstehend",
            "geplant",
            "nicht begonnen",
            "à faire",
            "en attente",
            "prévu",
            "prévue",
            "da fare",
            "in attesa",
            "запланировано",
            "ожидает",
            "не начато",
            "예정",
            "대기",
            "대기 중",
            "قيد الانتظار",
            "معلق",
            "معلقة",
            "لم يبدأ",
            "لم تبدأ",
        ],
    ),
    (
        Status::Waiting,
        &[
            "waiting",
            "blocked",
            "paused",
            "on hold",
            "阻塞",
            "已阻塞",
            "受阻",
            "暂停",
            "已暂停",
            "暫停",
            "已暫停",
            "等待中",
            "等待",
            "保留",
            "ブロック",
            "bloqueado",
            "bloqueada",
            "pausado",
            "pausada",
            "blockiert",
            "pausiert",
            "wartet",
            "bloqué",
            "bloquée",
            "en pause",
            "bloccato",
            "in pausa",
            "заблокировано",
            "приостановлено",
            "보류",
            "차단됨",
            "متوقف",
            "متوقفة",
            "محظور",
        ],
    ),
    (
        Status::Skipped,
        &[
            "skipped",
            "skip",
            "deferred",
            "postponed",
            "cancelled",
            "canceled",
            "dropped",
            "abandoned",
            "跳过",
            "已跳过",
            "跳過",
            "已跳過",
            "取消",
            "已取消",
            "推迟",
            "延期",
            "スキップ",
            "中止",
            "omitido",
            "omitida",
            "cancelado",
            "cancelada",
            "aplazado",
            "adiado",
            "adiada",
            "übersprungen",
            "verschoben",
            "abgebrochen",
            "ignoré",
            "ignorée",
            "reporté",
            "reportée",
            "annulé",
            "annulée",
            "saltato",
            "annullato",
            "пропущено",
            "отменено",
            "отложено",
            "건너뜀",
            "취소",
            "تم التخطي",
            "ملغى",
            "ملغاة",
            "مؤجل",
            "مؤجلة",
        ],
    ),
    (
        Status::Failed,
        &[
            "failed",
            "失败",
            "失敗",
            "fallido",
            "fallida",
            "falhou",
            "fehlgeschlagen",
            "gescheitert",
            "échoué",
            "échouée",
            "fallito",
            "не удалось",
            "실패",
            "فشل",
            "فشلت",
        ],
    ),
];

/// Emoji that stand for a status.
const MARKS: &[(char, Status)] = &[
    ('✅', Status::Complete),
    ('☑', Status::Complete),
    ('✔', Status::Complete),
    ('✓', Status::Complete),
    ('🔄', Status::InProgress),
    ('🚧', Status::InProgress),
    ('🏗', Status::InProgress),
    ('🔨', Status::InProgress),
    ('⏳', Status::Pending),
    ('⬜', Status::Pending),
    ('☐', Status::Pending),
    ('🔲', Status::Pending),
    ('📋', Status::Pending),
    ('⛔', Status::Waiting),
    ('🚫', Status::Waiting),
    ('⏸', Status::Waiting),
    ('⏭', Status::Skipped),
    ('❌', Status::Failed),
];

/// Labels of a status line and headers of a status column.
pub(super) const STATUS_LABELS: &[&str] = &[
    "status",
    "state",
    "状态",
    "狀態",
    "状況",
    "ステータス",
    "estado",
    "stato",
    "zustand",
    "statut",
    "état",
    "статус",
    "상태",
    "الحالة",
    "حالة",
];

/// Headings of the goal.
pub(super) const GOAL: &[&str] = &[
    "goal",
    "goals",
    "the goal",
    "objective",
    "objectives",
    "目标",
    "目標",
    "项目目标",
    "任务目标",
    "ゴール",
    "目的",
    "objetivo",
    "objetivos",
    "ziel",
    "ziele",
    "objectif",
    "objectifs",
    "but",
    "obiettivo",
    "цель",
    "목표",
    "الهدف",
    "الأهداف",
];

/// Headings of a phase list.
pub(super) const PHASES: &[&str] = &[
    "phases",
    "the phases",
    "project phases",
    "phase list",
    "phase overview",
    "阶段",
    "階段",
    "各阶段",
    "阶段列表",
    "阶段划分",
    "フェーズ",
    "fases",
    "etapas",
    "phasen",
    "étapes",
    "fasi",
    "фазы",
    "этапы",
    "단계",
    "المراحل",
];

/// Headings under which a list of boxes is taken for a phase list.
pub(super) const LIKE_PHASES: &[&str] = &[
    "plan",
    "the plan",
    "tasks",
    "task list",
    "milestones",
    "roadmap",
    "stages",
    "steps",
    "work plan",
    "计划",
    "計劃",
    "計画",
    "任务",
    "任務",
    "任务列表",
    "里程碑",
    "步骤",
    "步驟",
    "路线图",
    "タスク",
    "tareas",
    "hitos",
    "pasos",
    "tarefas",
    "marcos",
    "passos",
    "aufgaben",
    "meilensteine",
    "meilenstein",
    "schritte",
    "tâches",
    "jalons",
    "attività",
    "задачи",
    "작업",
    "المهام",
    "الخطوات",
    "الخطة",
];

/// Headings that end the live plan.
pub(super) const ARCHIVED: &[&str] = &[
    "archived",
    "归档",
    "已归档",
    "歸檔",
    "已歸檔",
    "アーカイブ済み",
    "archivado",
    "arquivado",
    "archiviert",
    "مؤرشف",
];

/// Headings that end the live plan if they say nothing else.
pub(super) const ARCHIVE: &[&str] = &[
    "archive",
    "archives",
    "アーカイブ",
    "archivo",
    "arquivo",
    "archiv",
    "архив",
    "الأرشيف",
    "old plans",
    "previous plans",
];

/// Words before a phase number.
pub(super) const PHASE: &[&str] = &["phase", "阶段", "階段", "フェーズ", "fase", "фаза", "단계", "المرحلة", "مرحلة"];

/// Words that count as a phase word only where none of [`PHASE`] is used.
pub(super) const OTHER_PHASE: &[&str] = &[
    "批次",
    "里程碑",
    "stage",
    "milestone",
    "batch",
    "étape",
    "etapa",
    "hito",
    "marco",
    "meilenstein",
    "этап",
    "マイルストーン",
];

/// Headers of a title column.
pub(super) const TITLE_LABELS: &[&str] = &[
    "phase",
    "title",
    "name",
    "task",
    "description",
    "milestone",
    "stage",
    "step",
    "阶段",
    "階段",
    "名称",
    "名稱",
    "任务",
    "任務",
    "描述",
    "内容",
    "內容",
    "步骤",
    "里程碑",
    "阶段名称",
    "フェーズ",
    "タスク",
    "fase",
    "tarea",
    "tarefa",
    "nombre",
    "nome",
    "descripción",
    "descrição",
    "etapa",
    "aufgabe",
    "étape",
    "tâche",
    "фаза",
    "этап",
    "задача",
    "단계",
    "작업",
    "المرحلة",
    "المهمة",
];

/// Headers of a column of numbers.
pub(super) const NUMBER_LABELS: &[&str] =
    &["#", "id", "no", "no.", "nr", "nr.", "n°", "number", "编号", "編號", "序号", "序號", "番号"];

/// Number words, from one.
pub(super) const ORDINALS: &[&[&str]] = &[
    &["one", "first", "uno", "um", "eins", "الأولى"],
    &["two", "second", "dos", "dois", "zwei", "الثانية"],
    &["three", "third", "tres", "três", "drei", "الثالثة"],
    &["four", "fourth", "cuatro", "quatro", "vier", "الرابعة"],
    &["five", "fifth", "cinco", "fünf", "الخامسة"],
    &["six", "sixth", "seis", "sechs", "السادسة"],
    &["seven", "seventh", "siete", "sete", "sieben", "السابعة"],
    &["eight", "eighth", "ocho", "oito", "acht", "الثامنة"],
    &["nine", "ninth", "nueve", "nove", "neun", "التاسعة"],
    &["ten", "tenth", "diez", "dez", "zehn", "العاشرة"],
];

/// The status word at the start of `text` and its length in bytes. What follows is not looked at.
pub(super) fn status_word(text: &str) -> Option<(Status, usize)> {
    let mut best: Option<(Status, usize)> = None;
    for (status, words) in STATUS {
        for word in *words {
            if let Some(length) = prefix(text, word)
                && best.is_none_or(|(_, longest)| length > longest)
            {
                best = Some((*status, length));
            }
        }
    }
    best
}

/// The status emoji at the start of `text` and its length in bytes.
pub(super) fn status_mark(text: &str) -> Option<(Status, usize)> {
    let first = text.chars().next()?;
    let (_, status) = MARKS.iter().find(|(mark, _)| *mark == first)?;
    let length = first.len_utf8();
    let selector = text.get(length..).is_some_and(|rest| rest.starts_with('\u{FE0F}'));
    Some((*status, if selector { length + 3 } else { length }))
}

/// The longest of `words` at the start of `text`: its length in bytes.
pub(super) fn any_prefix(text: &str, words: &[&str]) -> Option<usize> {
    words.iter().filter_map(|word| prefix(text, word)).max()
}

/// Whether `text` is one of `words`.
pub(super) fn is_any(text: &str, words: &[&str]) -> bool {
    let text = text.trim();
    words.iter().any(|word| prefix(text, word) == Some(text.len()))
}

/// How many bytes of `text` spell `word`.
pub(super) fn prefix(text: &str, word: &str) -> Option<usize> {
    let mut rest = text.char_indices().filter_map(|(at, c)| Some((at + c.len_utf8(), fold(c)?)));
    let mut end = 0;
    for wanted in word.chars().filter_map(fold) {
        let (after, got) = rest.next()?;
        if got != wanted {
            return None;
        }
        end = after;
    }
    let invisible = |c: &char| fold(*c).is_none();
    Some(end + text.get(end..)?.chars().take_while(invisible).map(char::len_utf8).sum::<usize>())
}

/// What a character counts as; `None` for accents and for marks nobody sees.
fn fold(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(if matches!(c, '_' | '-') { ' ' } else { c.to_ascii_lowercase() });
    }
    if unseen(c) || matches!(c, '\u{300}'..='\u{36F}' | '\u{64B}'..='\u{65F}' | '\u{FE0F}') {
        return None;
    }
    let mut first = None;
    decompose_compatible(c, |part| {
        first.get_or_insert(part);
    });
    let base = first.unwrap_or(c);
    base.to_lowercase().next()
}

/// Characters without width or that change the direction of what follows.
pub(crate) fn unseen(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206F}' | '\u{FEFF}' | '\u{180E}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding() {
        for (text, word) in [
            ("In-Progress", "in progress"),
            ("IN_PROGRESS", "in progress"),
            ("Concluída", "concluida"),
            ("Conclui\u{301}da", "concluída"),
            ("\u{200F}المرحلة", "المرحلة"),
            ("ＤＯＮＥ", "done"),
            ("進行中", "進行中"),
        ] {
            assert_eq!(prefix(text, word), Some(text.len()), "{text}");
        }
        assert_eq!(prefix("phase 1", "phase"), Some(5));
        assert_eq!(prefix("pha", "phase"), None);
    }

    #[test]
    fn the_longest_word_counts() {
        assert_eq!(status_word("completed"), Some((Status::Complete, 9)));
        assert_eq!(status_word("تم التخطي").map(|(s, _)| s), Some(Status::Skipped));
        assert_eq!(status_word("fine"), None);
    }
}
